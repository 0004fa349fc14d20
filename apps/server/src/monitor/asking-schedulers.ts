import { DAY_MS, type EpochMs } from '@svc/core'
import type { Clock, Scheduler, UpstreamName } from '@svc/core/service'

/** The schedulers that ask for the ranking, one for each proxy. */
export interface AskingSchedulers {
  /** `upstream`: the proxy that it named; null if none. */
  asked(version: string, upstream: UpstreamName | null): void
  /** Schedulers of the last day; left out without any. One that is silent for longer may have been removed. */
  until(now: EpochMs): { readonly schedulers?: readonly Scheduler[] }
}

export function createAskingSchedulers(clock: Pick<Clock, 'now'>): AskingSchedulers {
  const byUpstream = new Map<UpstreamName | null, Scheduler>()
  return {
    asked(version, upstream) {
      const askedAt = clock.now()
      byUpstream.set(upstream, { ...(upstream === null ? {} : { upstream }), version, askedAt })
    },
    until(now) {
      const schedulers = [...byUpstream.values()].filter(({ askedAt }) => now - askedAt < DAY_MS)
      return schedulers.length === 0 ? {} : { schedulers }
    },
  }
}
