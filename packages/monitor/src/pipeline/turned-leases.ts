import type { Snapshot } from '@svc/core'
import type { ProxyLease } from '@svc/core/service'

/** Whether who acts for the proxies is another than the last snapshot says. People wait for that: it decides where they send a refresh. */
export interface TurnedLeases {
  evaluated(snapshot: Pick<Snapshot, 'leases'>): void
  areTurned(): boolean
}

/** `standing`: how it is now; null where nobody shares the store. */
export function createTurnedLeases(standing: () => readonly ProxyLease[] | null): TurnedLeases {
  let shown: ReadonlySet<string> | null = null
  const namesOurs = (leases: readonly ProxyLease[]) =>
    leases.filter(({ isOurs }) => isOurs).map(({ upstream }) => upstream)
  return {
    evaluated({ leases }) {
      shown = leases === undefined ? null : new Set(namesOurs(leases))
    },
    areTurned() {
      const leases = standing()
      if (leases === null || shown === null) return false
      const ours = namesOurs(leases)
      return ours.length !== shown.size || ours.some((upstream) => !shown?.has(upstream))
    },
  }
}
