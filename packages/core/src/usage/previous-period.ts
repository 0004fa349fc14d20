import { type EpochMs, plusMs } from '../facts/time.ts'
import type { UsageMeasures } from '../facts/usage-measures.ts'
import type { UsageCoverage } from './usage-coverage.ts'
import { fixedRanges, type UsageRangeId, type UsageSpan } from './usage-span.ts'

/** The period of equal length right before a chart, in the same buckets and for the same members. */
export interface PreviousPeriod {
  readonly span: UsageSpan
  readonly coverage: UsageCoverage
  readonly totals: UsageMeasures
  /** Totals of each bucket. */
  readonly totalBuckets: readonly UsageMeasures[]
  /** Buckets of each member with a line, by member id. */
  readonly bucketsById: ReadonlyMap<string, readonly UsageMeasures[]>
}

/** Ranges that can be compared: the buckets of longer ranges are not kept for twice their length. */
const COMPARABLE: ReadonlySet<UsageRangeId> = new Set(['1h', '6h', '24h', '7d'])

/** The span right before this one; null if its range cannot be compared. */
export function previousSpanOf(span: UsageSpan): UsageSpan | null {
  if (span.range === 'all' || !COMPARABLE.has(span.range)) return null
  const { seconds } = fixedRanges[span.range]
  const earlier = (at: EpochMs) => plusMs(at, -seconds * 1000)
  return { ...span, start: earlier(span.start), end: earlier(span.end) }
}

/** Change against the previous period, in whole percent; null if that period was not watched throughout, or had no usage. */
export function changePercentOf(
  now: number,
  before: number,
  { coverage, span }: Pick<PreviousPeriod, 'coverage' | 'span'>,
): number | null {
  const isWatched = coverage.since !== null && coverage.since <= span.start
  return isWatched && before > 0 ? Math.round((100 * (now - before)) / before) : null
}
