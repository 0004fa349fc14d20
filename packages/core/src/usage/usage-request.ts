import type { ProviderId } from '../facts/provider.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UpstreamName } from '../facts/upstream.ts'
import type { ServiceTier } from './rate.ts'
import type { UsageMember } from './usage.ts'
import type { Cost, UnpricedReason } from './usage-cost.ts'
import type { UsageBatch, UsageDetail, UsageGap, UsageTally } from './usage-detail.ts'
import type { FailuresQuestion, UsageFailures } from './usage-failures.ts'
import type { UsageDimension, UsageQuestion } from './usage-question.ts'
import type { UsageSeries } from './usage-series.ts'
import type { UsageSummary } from './usage-summary.ts'

/**
 * One request of the history; its client is a label or a fingerprint. Null means unknown; a null `failure` can also mean that the request did not
 * fail.
 */
export interface UsageRequest
  extends Required<
    Pick<
      UsageDetail,
      'at' | 'model' | 'tokens' | 'failed' | 'failure' | 'classes' | 'latencyMs' | 'firstTokenMs'
    >
  > {
  readonly account: UsageMember
  readonly client: UsageMember
  readonly provider: ProviderId
  readonly upstream: UpstreamName
  /** Null is standard. */
  readonly tier: ServiceTier | null
  /** Null without any prices. */
  readonly cost: Cost | null
  /** Null if it has a price, and without any prices. */
  readonly unpriced: UnpricedReason | null
}

/** Position of a request in order of time, then of key: a signed 64-bit number, as text. */
export interface RequestPlace {
  readonly at: EpochMs
  readonly key: string
}

/** Requests that are left to read: those from an instant on and before a position. */
export interface RowsLeft {
  readonly from: EpochMs
  readonly before: RequestPlace
}

/** Maximum number of requests that one page reads, so that a rare filter does not delay others: a page can be short, or empty, and still have a next one. */
export const REQUESTS_READ_MAX = 50_000

/** Requests, newest first. */
export interface RequestsPage {
  readonly requests: readonly UsageRequest[]
  /** Position of the last request that was read, before which the next page starts; null on the last page. */
  readonly next: RequestPlace | null
  /** Time before which requests were deleted; null if none were. */
  readonly rowsSince: EpochMs | null
  /** Dimensions of which the filter names an id that no request has. */
  readonly unknownIds: readonly UsageDimension[]
}

/** Position just before an instant: only older requests precede it. */
export function placeAt(at: EpochMs): RequestPlace {
  return { at, key: String(-(2n ** 63n)) }
}

/** Reads the usage history, either the store or the built-in sample. */
export interface UsageReader {
  /** One chart. Rejects when the store cannot be read. */
  series(question: UsageQuestion, now: EpochMs): Promise<UsageSeries>
  /** Failed requests by cause. Rejects when the store cannot be read. */
  failures(question: FailuresQuestion, now: EpochMs): Promise<UsageFailures>
  /** Recent usage and the extent of the history. Rejects when the store cannot be read. */
  summary(now: EpochMs): Promise<UsageSummary>
  /** The newest `limit` single requests of those left. Rejects when the store cannot be read. */
  requests(
    question: Pick<UsageQuestion, 'filter'> & { readonly limit: number },
    left: RowsLeft,
  ): Promise<RequestsPage>
}

/** Store of one proxy's usage. Every call is one transaction: once it resolves, its effect survives a crash; if it rejects, nothing was stored. */
export interface UsageStore {
  /**
   * Stores new details with their rollups, and ends a marked pop. Removes the gap of `markedAt` if another monitor took over and counted that pop as
   * interrupted. Calls `onStored` with the new details once they are committed. Rejects if the store cannot be written.
   */
  record(
    batch: UsageBatch,
    position?: FeedPosition,
    markedAt?: EpochMs,
    onStored?: (details: readonly UsageDetail[]) => void,
  ): Promise<UsageTally>
  /** Marks that records are about to be taken out of the proxy. Rejects if the store cannot be written. */
  markPop(at: EpochMs): Promise<void>
  /** Marks that a pop took nothing out. Rejects if the store cannot be written. */
  clearPop(): Promise<void>
  /** Stores a gap; the feed continues after it. Rejects if the store cannot be written. */
  recordGap(gap: UsageGap): Promise<void>
  /**
   * Stores a number of requests that the proxy handed out but that never arrived here, and the interval in which that happened. Rejects if
   * the store cannot be written.
   */
  recordMissing(requestCount: number, gap: UsageGap): Promise<void>
  /** Stores the present titles of accounts. Rejects if the store cannot be written. */
  nameAccounts(titles: ReadonlyMap<string, string>): Promise<void>
  /** Counts a pop during which the process died as a gap; null if there was none. Rejects if the store cannot be written. */
  endInterruptedPop(): Promise<UsageGap | null>
  /** Notes the begin of a connection over which records may come at any moment; null once it has ended. Rejects if the store cannot be written. */
  stand(since: EpochMs | null): Promise<void>
  /** Begin of the connection that stands, or whose reader has died; null without one. */
  standingSince(): Promise<EpochMs | null>
  position(): Promise<FeedPosition>
}

/** Position up to which the feed was read. */
export interface FeedPosition {
  /** Time of the last read, or up to which records count as missed; null before the first read. */
  readonly lastPollAt: EpochMs | null
  /** Requests in the tree at `lastPollAt`; null without a tree. */
  readonly treeRequests: number | null
}
