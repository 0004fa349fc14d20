import type { EpochMs } from '../facts/time.ts'
import type { UsageBatch, UsageGap, UsageTally } from './usage-detail.ts'
import type { UsageQuery, UsageSeries } from './usage-series.ts'
import type { UsageSummary } from './usage-summary.ts'

/** Answers from the usage history: the store, or the built-in sample. */
export interface UsageReader {
  /** One chart. Rejects when the store cannot be read. */
  series(query: UsageQuery, now: EpochMs): Promise<UsageSeries>
  /** Recent usage and the extent of the history. Rejects when the store cannot be read. */
  summary(now: EpochMs): Promise<UsageSummary>
}

/**
 * Where the usage of one proxy is kept. Every call is one transaction: when it resolves, what it did survives a crash; when it rejects, nothing was done.
 */
export interface UsageStore {
  /** Stores what is not there yet, with its rollups; a pop that was marked is over. Rejects when it cannot be written. */
  record(batch: UsageBatch, position?: FeedPosition): Promise<UsageTally>
  /** Notes that records are about to be taken out of the proxy. Rejects when it cannot be written. */
  markPop(at: EpochMs): Promise<void>
  /** Notes that a marked pop took nothing out. Rejects when it cannot be written. */
  clearPop(): Promise<void>
  /** Rejects when it cannot be written. */
  recordGap(gap: UsageGap): Promise<void>
  /** Counts requests that were handed out and did not come here, and the stretch in which that was. Rejects when it cannot be written. */
  recordMissing(requestCount: number, gap: UsageGap): Promise<void>
  /** Learns how accounts are called now. Rejects when it cannot be written. */
  nameAccounts(titles: ReadonlyMap<string, string>): Promise<void>
  /** Counts a pop that the process died in as a gap; null when there was none. Rejects when it cannot be written. */
  endInterruptedPop(): Promise<UsageGap | null>
  position(): Promise<FeedPosition>
}

/** How far the feed has come. */
export interface FeedPosition {
  /** When the proxy was last read to the end; null before the first time. */
  readonly lastPollAt: EpochMs | null
  /** Requests its tree counted then; null where there was no tree. */
  readonly treeRequests: number | null
}
