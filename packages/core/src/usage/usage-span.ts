import { type EpochMs, epochMs, type Interval, plusMs } from '../facts/time.ts'
import type { UsageGroup } from './usage.ts'

/** Ranges of a chart; `all` is the whole history. */
export const usageRangeIds = ['1h', '6h', '24h', '7d', '30d', 'all'] as const
/** Name of a chart's range. */
export type UsageRangeId = (typeof usageRangeIds)[number]

/** Bucket widths that can be requested; `auto` fits the range. */
export const usageBucketIds = ['auto', '15m', '1h', '6h', '1d'] as const
/** Name of a bucket width. */
export type UsageBucketId = (typeof usageBucketIds)[number]

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

interface FixedRange {
  readonly seconds: number
  readonly bucketSeconds: number
}

/** All ranges except `all`, whose buckets grow with the history. See docs/rules.md#statistics. */
export const fixedRanges: Readonly<Record<Exclude<UsageRangeId, 'all'>, FixedRange>> = {
  '1h': { seconds: HOUR, bucketSeconds: MINUTE },
  '6h': { seconds: 6 * HOUR, bucketSeconds: 5 * MINUTE },
  '24h': { seconds: DAY, bucketSeconds: 15 * MINUTE },
  '7d': { seconds: 7 * DAY, bucketSeconds: 2 * HOUR },
  '30d': { seconds: 30 * DAY, bucketSeconds: 6 * HOUR },
}

const BUCKET_SECONDS: Readonly<Record<Exclude<UsageBucketId, 'auto'>, number>> = {
  '15m': 15 * MINUTE,
  '1h': HOUR,
  '6h': 6 * HOUR,
  '1d': DAY,
}
const BUCKETS_MIN = 4
/** Maximum number of buckets of a custom span. */
export const BUCKETS_MAX = 800

/**
 * Whether a range allows buckets of this width: no finer than its own, and at least four. A week also allows hours, but only in total, because only
 * totals are kept by the hour for that long.
 */
export function isBucketOf(
  bucket: UsageBucketId,
  { range, group }: { readonly range: UsageRangeId | 'custom'; readonly group: UsageGroup },
): boolean {
  if (bucket === 'auto') return true
  if (range === 'all') return false
  if (range === 'custom') return true
  if (range === '7d' && bucket === '1h') return group === 'total'
  const { seconds, bucketSeconds } = fixedRanges[range]
  const asked = BUCKET_SECONDS[bucket]
  return asked >= bucketSeconds && seconds / asked >= BUCKETS_MIN
}

const BUCKETS_BY_HISTORY: readonly {
  readonly upToSeconds: number
  readonly bucketSeconds: number
}[] = [
  { upToSeconds: 9 * DAY, bucketSeconds: 2 * HOUR },
  { upToSeconds: 32 * DAY, bucketSeconds: 6 * HOUR },
  { upToSeconds: 400 * DAY, bucketSeconds: DAY },
  { upToSeconds: Number.POSITIVE_INFINITY, bucketSeconds: 7 * DAY },
]

/**
 * A range on the time axis, from `from` to `end` whatever the width of its buckets. These start at UTC multiples of their width; of the first one only
 * the part since `from` counts, and the last one runs until `end`.
 */
export interface UsageSpan {
  readonly range: UsageRangeId | 'custom'
  /** Start of the range, on a bucket of its own width; of a custom span on any minute. */
  readonly from: EpochMs
  /** Start of the first bucket; before `from` if buckets are wider than the range's own. */
  readonly start: EpochMs
  /** Excluded from the span; now, but for a custom span in the past. */
  readonly end: EpochMs
  readonly bucketSeconds: number
  readonly bucketCount: number
}

/**
 * The span of a range; `bucket` is one that `isBucketOf` allows. `earliest` is the oldest known usage; null if there is none, in which case `all`
 * has no bucket.
 */
export function usageSpanOf(
  range: UsageRangeId,
  now: EpochMs,
  earliest: EpochMs | null,
  bucket: UsageBucketId = 'auto',
): UsageSpan {
  if (range !== 'all') {
    const { seconds, bucketSeconds: ownSeconds } = fixedRanges[range]
    const bucketSeconds = bucket === 'auto' ? ownSeconds : BUCKET_SECONDS[bucket]
    // Begins where a bucket of the range's own width does: finer sums of single members are not kept that long.
    const from = bucketStartOf(plusMs(now, -seconds * 1000), ownSeconds)
    return spanOf(range, { from, to: now }, bucketSeconds)
  }
  const historySeconds = earliest === null ? 0 : (now - earliest) / 1000
  const bucketSeconds =
    BUCKETS_BY_HISTORY.find(({ upToSeconds }) => historySeconds <= upToSeconds)?.bucketSeconds ??
    DAY
  if (earliest === null || earliest >= now)
    return { range, from: now, start: now, end: now, bucketSeconds, bucketCount: 0 }
  return spanOf(range, { from: bucketStartOf(earliest, bucketSeconds), to: now }, bucketSeconds)
}

/** Widths of buckets by the length of a custom span; wider ones are used until `BUCKETS_MAX` suffice. */
const CUSTOM_WIDTHS: readonly FixedRange[] = [
  ...Object.values(fixedRanges),
  { seconds: 366 * DAY, bucketSeconds: DAY },
  { seconds: Number.POSITIVE_INFINITY, bucketSeconds: 7 * DAY },
]

/** Widths of buckets, finest first. */
export const bucketWidths: readonly number[] = CUSTOM_WIDTHS.map(
  ({ bucketSeconds }) => bucketSeconds,
)

/** A custom span in buckets of the requested width, or of the next wider one that needs at most `BUCKETS_MAX`; of a week if none does. */
export function customSpanOf(
  { from, to: end }: Interval,
  bucket: UsageBucketId | number = 'auto',
): UsageSpan {
  const seconds = (end - from) / 1000
  const widthAsked =
    typeof bucket === 'number' ? bucket : bucket === 'auto' ? 0 : BUCKET_SECONDS[bucket]
  const fitting = CUSTOM_WIDTHS.find((row) => seconds <= row.seconds)?.bucketSeconds ?? 7 * DAY
  const asked = widthAsked || fitting
  const bucketSeconds =
    [asked, ...bucketWidths].find((width) => width >= asked && seconds / width <= BUCKETS_MAX) ??
    7 * DAY
  return spanOf('custom', { from, to: end }, bucketSeconds)
}

function spanOf(
  range: UsageSpan['range'],
  { from, to: end }: Interval,
  bucketSeconds: number,
): UsageSpan {
  const start = bucketStartOf(from, bucketSeconds)
  const bucketCount = countOf(start, end, bucketSeconds)
  return { range, from, start, end, bucketSeconds, bucketCount }
}

/** A span in wider buckets. */
export function coarserSpanOf(span: UsageSpan, bucketSeconds: number): UsageSpan {
  const start = bucketStartOf(span.from, bucketSeconds)
  return { ...span, start, bucketSeconds, bucketCount: countOf(start, span.end, bucketSeconds) }
}

/** Number of buckets from `start` to `now`. */
function countOf(start: EpochMs, now: EpochMs, bucketSeconds: number): number {
  return bucketIndexOf(lastBucketStart(now, bucketSeconds), { start, bucketSeconds }) + 1
}

function bucketStartOf(at: EpochMs, bucketSeconds: number): EpochMs {
  const bucketMs = bucketSeconds * 1000
  return epochMs(Math.floor(at / bucketMs) * bucketMs)
}

/** Start of the last bucket. On a boundary the new bucket is still empty, so the previous one is the last. */
function lastBucketStart(now: EpochMs, bucketSeconds: number): EpochMs {
  return bucketStartOf(plusMs(now, -1), bucketSeconds)
}

/** Number of the bucket that contains an instant, counted from the first. */
export function bucketIndexOf(
  at: EpochMs,
  { start, bucketSeconds }: Pick<UsageSpan, 'start' | 'bucketSeconds'>,
): number {
  return Math.floor((at - start) / (bucketSeconds * 1000))
}

/** Start of each bucket, oldest first. */
export function bucketStartsOf({
  start,
  bucketSeconds,
  bucketCount,
}: UsageSpan): readonly EpochMs[] {
  return Array.from({ length: bucketCount }, (_, index) =>
    plusMs(start, index * bucketSeconds * 1000),
  )
}

/** The part of a bucket inside the span; only the first and the last one can be partial. */
export function bucketOf({ from, start, end, bucketSeconds }: UsageSpan, index: number): Interval {
  const startMs = start + index * bucketSeconds * 1000
  return {
    from: epochMs(Math.max(from, startMs)),
    to: epochMs(Math.min(end, startMs + bucketSeconds * 1000)),
  }
}
