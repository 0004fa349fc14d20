import type { Upstream } from '@svc/config'
import type { EpochMs, ServiceObservation } from '@svc/core'
import type { AskedAccount } from '@svc/core/account'
import type { RememberedPool } from '@svc/core/pool'
import type {
  QuotaRefresher,
  RefreshElsewhere,
  SnapshotSource,
  UpstreamName,
} from '@svc/core/service'
import type { UsageReading } from '@svc/core/usage'
import type { HistoryQuestions } from '../answers/history-questions.ts'
import type { History, RecordedPast } from '../store/history.ts'
import type { TrendSeed } from '../store/store-threads.ts'

/** The pool that a pipeline observes: the one behind the proxies, or the sample. */
export interface ObservedPool {
  readonly source: SnapshotSource
  readonly refresher: QuotaRefresher
  /** Null if nothing is kept. */
  readonly history: History | null
  /** Null without a record. */
  readonly recorded: HistoryQuestions | null
  /** State of the service itself at `now`, with the latest reading of its usage. */
  serviceAt(now: EpochMs, reading: UsageReading): ServiceObservation
  /** History recorded before this process started; handed out once. Null while it may still come. */
  takeRecorded(): RecordedPast | null
  /** Course of the pool up to `now`; null if only a history knows it. */
  courseUntil(now: EpochMs): TrendSeed | null
  /** Begins with the state kept by an earlier process. */
  restore(remembered: RememberedPool): void
  /** Adopts the readings of another monitor for the proxies that it queries. */
  adopt(remembered: RememberedPool): void
  /** Takes in the last account queries of earlier processes and other monitors. */
  useAsked(asked: readonly AskedAccount[]): void
  /** Other monitor that queries the vendor through these proxies, or through any proxy for null; null if this monitor does. */
  askedElsewhere(upstreams: readonly UpstreamName[] | null): RefreshElsewhere | null
  /** Reads its files again, as a restart would. If tables of the configuration list the proxies, the given ones are watched from now on. */
  reload(upstreams: readonly Upstream[]): void
}

/** Returns the changes on the first call and none after it. */
export function handOutOnce(changes: RecordedPast['changes']): () => RecordedPast {
  let left = changes
  return () => {
    const taken = left
    left = []
    return { changes: taken, remembered: null }
  }
}
