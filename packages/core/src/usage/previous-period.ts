import { type EpochMs, plusMs } from '../facts/time.ts'
import type { UsageMeasures } from '../facts/usage-measures.ts'
import type { UsageCoverage } from './usage-coverage.ts'
import { fixedRanges, type UsageRangeId, type UsageSpan } from './usage-span.ts'

/** The same length of time right before a chart, in the same buckets and of the same members. */
export interface PreviousPeriod {
  readonly span: UsageSpan
  readonly coverage: UsageCoverage
  readonly totals: UsageMeasures
  /** The same bucket by bucket. */
  readonly totalBuckets: readonly UsageMeasures[]
  /** Buckets of the members that have a line, by their id. */
  readonly bucketsById: ReadonlyMap<string, readonly UsageMeasures[]>
}

/** Buckets of longer ranges are not kept for twice as long. */
const COMPARABLE: ReadonlySet<UsageRangeId> = new Set(['1h', '6h', '24h', '7d'])

/** The span right before a span; null where none can be compared. */
export function previousSpanOf(span: UsageSpan): UsageSpan | null {
  if (span.range === 'all' || !COMPARABLE.has(span.range)) return null
  const { seconds } = fixedRanges[span.range]
  const earlier = (at: EpochMs) => plusMs(at, -seconds * 1000)
  return { ...span, start: earlier(span.start), end: earlier(span.end) }
}

/** How much more or less was used than before, in whole percent; null where the time before was not watched as a whole, or nothing was used in it. */
export function changePercentOf(
  now: number,
  before: number,
  { coverage, span }: Pick<PreviousPeriod, 'coverage' | 'span'>,
): number | null {
  const isWatched = coverage.since !== null && coverage.since <= span.start
  return isWatched && before > 0 ? Math.round((100 * (now - before)) / before) : null
}
