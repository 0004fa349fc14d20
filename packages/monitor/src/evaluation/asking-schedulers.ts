import { DAY_MS, type EpochMs, type ProxyObservation } from '@svc/core'
import {
  type Clock,
  SCHEDULER_SILENCE_MS,
  type Scheduler,
  type SchedulerQuestion,
  type UpstreamName,
} from '@svc/core/service'

/** Maximum number of proxies whose schedulers are remembered, because any program may claim to be one. */
const SCHEDULERS_MAX = 64

/** Ended requests of a proxy, as counted by its account list. */
interface EndedRequests {
  readonly count: number
  readonly at: EpochMs
  /** Time of the reading before the latest increase of the count; null if there was none. */
  readonly after: EpochMs | null
}

interface Remembered extends Omit<Scheduler, 'requestsAfter' | 'requestCount'> {
  /** Ended requests when the scheduler began to ask; null before the first account list. */
  readonly endedBefore: number | null
}

/** The schedulers that ask for the ranking, one for each proxy. */
export function createAskingSchedulers(clock: Pick<Clock, 'now'>) {
  const byUpstream = new Map<UpstreamName | null, Remembered>()
  /** Ended requests by proxy; the key null counts all proxies. */
  const ended = new Map<UpstreamName | null, EndedRequests>()
  const endedAt = (upstream: UpstreamName | null) => ended.get(upstream) ?? ended.get(null)
  return {
    asked({ upstream, version, report, refusal }: SchedulerQuestion) {
      const askedAt = clock.now()
      const before = byUpstream.get(upstream)
      const isAsking = before !== undefined && askedAt - before.askedAt <= SCHEDULER_SILENCE_MS
      // A refused question never hides a scheduler that is answered.
      if (isAsking && refusal !== null && before.refusal === null) return
      if (before === undefined && byUpstream.size >= SCHEDULERS_MAX) return
      const { askedCount = 0, pickCount = 0 } = report ?? {}
      byUpstream.set(upstream, {
        ...(upstream === null ? {} : { upstream }),
        version,
        report,
        refusal,
        askedAt,
        askingSince: isAsking ? before.askingSince : askedAt,
        askedCount: (before?.askedCount ?? 0) + askedCount,
        pickCount: (before?.pickCount ?? 0) + pickCount,
        consultedAt: askedCount > 0 ? askedAt : (before?.consultedAt ?? null),
        endedBefore: isAsking ? before.endedBefore : (endedAt(upstream)?.count ?? null),
      })
    },
    /** Schedulers that asked within the last day; left out without any. One that is silent for longer may have been removed. */
    until(
      now: EpochMs,
      observed: ProxyObservation,
    ): { readonly schedulers?: readonly Scheduler[] } {
      noteEnded(ended, null, observed)
      for (const one of observed.upstreams ?? []) noteEnded(ended, one.name, one)
      for (const [upstream, remembered] of byUpstream) {
        const endedBefore = remembered.endedBefore ?? endedAt(upstream)?.count ?? null
        byUpstream.set(upstream, { ...remembered, endedBefore })
        if (now - remembered.askedAt >= DAY_MS) byUpstream.delete(upstream)
      }
      const schedulers = [...byUpstream].map(([upstream, { endedBefore, ...scheduler }]) => {
        const { after = null, count = 0 } = endedAt(upstream) ?? {}
        return { ...scheduler, requestsAfter: after, requestCount: count - (endedBefore ?? count) }
      })
      return schedulers.length === 0 ? {} : { schedulers }
    },
  }
}

function noteEnded(
  ended: Map<UpstreamName | null, EndedRequests>,
  upstream: UpstreamName | null,
  { sources }: Pick<ProxyObservation, 'sources'>,
): void {
  const list = sources.accounts.lastGood
  const counters = list?.value.requestCounters ?? null
  if (list === null || counters === null) return
  const count = counters.success + counters.failed
  const before = ended.get(upstream)
  const after = before !== undefined && count > before.count ? before.at : (before?.after ?? null)
  ended.set(upstream, { count, at: list.at, after })
}
