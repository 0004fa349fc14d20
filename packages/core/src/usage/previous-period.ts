import { type EpochMs, plusMs } from '../facts/time.ts'
import type { UsageCounts } from './usage-counts.ts'
import type { UsageCoverage } from './usage-coverage.ts'
import type { UsagePercentiles } from './usage-percentiles.ts'
import { fixedRanges, type UsageRangeId, type UsageSpan } from './usage-span.ts'

/** The period of equal length right before a chart, in the same buckets and for the same members. */
export interface PreviousPeriod {
  readonly span: UsageSpan
  readonly coverage: UsageCoverage
  readonly totals: UsageCounts
  readonly totalBuckets: readonly UsageCounts[]
  /** Buckets of each member with a line, by member id. */
  readonly bucketsById: ReadonlyMap<string, readonly UsageCounts[]>
  /** Null if the metric is no percentile. */
  readonly percentiles: UsagePercentiles | null
}

/** Ranges that can be compared: the buckets of longer ranges are not kept for twice their length. */
const COMPARABLE: ReadonlySet<UsageRangeId> = new Set(['1h', '6h', '24h', '7d'])

/** The span right before this one; null if its range cannot be compared, or not in buckets finer than its own. */
export function previousSpanOf(span: UsageSpan): UsageSpan | null {
  if (span.range === 'all' || !COMPARABLE.has(span.range)) return null
  const { seconds, bucketSeconds } = fixedRanges[span.range]
  if (span.bucketSeconds < bucketSeconds) return null
  const earlier = (at: EpochMs) => plusMs(at, -seconds * 1000)
  return { ...span, start: earlier(span.start), end: earlier(span.end) }
}

/** Change against the previous period, in whole percent; null if that period was not watched throughout or had no usage, and if either is unknown. */
export function changePercentOf(
  now: number | null,
  before: number | null,
  { coverage, span }: Pick<PreviousPeriod, 'coverage' | 'span'>,
): number | null {
  const isWatched = coverage.since !== null && coverage.since <= span.start
  return isWatched && now !== null && before !== null && before > 0
    ? Math.round((100 * (now - before)) / before)
    : null
}
