import type { Snapshot } from '@svc/core'
import type { ProxyLease } from '@svc/core/service'

/** Tells whether our proxies have changed since the last snapshot. `standing`: the current leases; null if the store is not shared. */
export function createTurnedLeases(standing: () => readonly ProxyLease[] | null) {
  let shown: ReadonlySet<string> | null = null
  const namesOurs = (leases: readonly ProxyLease[]) =>
    leases.filter(({ isOurs }) => isOurs).map(({ upstream }) => upstream)
  return {
    evaluated({ leases }: Pick<Snapshot, 'leases'>) {
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
