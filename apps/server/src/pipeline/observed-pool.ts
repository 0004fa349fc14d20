import type { Upstream } from '@svc/config'
import type { EpochMs, ServiceObservation } from '@svc/core'
import type {
  QuotaRefresher,
  RefreshElsewhere,
  RememberedPool,
  SnapshotSource,
  UpstreamName,
} from '@svc/core/service'
import type { UsageReading } from '@svc/core/usage'
import type { ChartSource } from '../answers/encode-chart.ts'
import type { CourseSource } from '../answers/encode-course.ts'
import type { SummarySource } from '../monitor/usage-watch.ts'
import type { History, RecordedPast } from '../store/history.ts'
import type { TrendSeed } from '../store/store-threads.ts'

/** What a pipeline observes: the pool behind a proxy, or the sample pool. */
export interface ObservedPool {
  readonly source: SnapshotSource
  readonly refresher: QuotaRefresher
  /** Null where nothing is kept. */
  readonly history: History | null
  /** What was recorded and can be asked for; null where nothing is. */
  readonly recorded: {
    readonly summaries: SummarySource
    readonly chart: ChartSource
    readonly accountCourse: CourseSource
  } | null
  /** What the service knows of itself at `now`, with the latest reading of its usage. */
  serviceAt(now: EpochMs, reading: UsageReading): ServiceObservation
  /** What was recorded before this process started; handed out once. Null while it may still come. */
  takeRecorded(): RecordedPast | null
  /** The course of the pool up to `now`; null where only a history knows it. */
  courseUntil(now: EpochMs): TrendSeed | null
  /** Begins with what an earlier process knew. */
  restore(remembered: RememberedPool): void
  /** Knows what another monitor has read, where that one asks. */
  adopt(remembered: RememberedPool): void
  /** Who asks the vendor through these proxies, or through any where it is null; null unless it is another monitor. */
  askedElsewhere(upstreams: readonly UpstreamName[] | null): RefreshElsewhere | null
  /** Reads its files again, as a restart would. Where the tables of the configuration list the proxies, these are watched from now on. */
  reload(upstreams: readonly Upstream[]): void
}

/** The changes at the first call, nothing after it. */
export function handOutOnce(changes: RecordedPast['changes']): () => RecordedPast {
  let left = changes
  return () => {
    const taken = left
    left = []
    return { changes: taken, remembered: null }
  }
}
