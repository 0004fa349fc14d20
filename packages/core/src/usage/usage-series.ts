import { type EpochMs, epochMs, plusMs } from '../facts/time.ts'
import type { UsageMeasures } from '../facts/usage-measures.ts'
import {
  addTo,
  emptyRow,
  emptySum,
  entryOf,
  sumOfUsage,
  type UsageGroup,
  type UsageMember,
  type UsageMetric,
  type UsageRecord,
  type UsageRow,
  type UsageSum,
} from './usage.ts'
import { type UsageCoverage, type UsageWatch, usageCoverageOf } from './usage-coverage.ts'

/** How far back a chart can reach; `all` is the whole history. */
export const usageRangeIds = ['1h', '6h', '24h', '7d', '30d', 'all'] as const
/** How far back one chart reaches. */
export type UsageRangeId = (typeof usageRangeIds)[number]

const MINUTE = 60
const HOUR = 3600
const DAY = 24 * HOUR

interface FixedRange {
  readonly seconds: number
  readonly bucketSeconds: number
}

/** Every range but `all`, whose buckets grow with the history. See docs/rules.md#statistics. */
export const fixedRanges: Readonly<Record<Exclude<UsageRangeId, 'all'>, FixedRange>> = {
  '1h': { seconds: HOUR, bucketSeconds: MINUTE },
  '6h': { seconds: 6 * HOUR, bucketSeconds: 5 * MINUTE },
  '24h': { seconds: DAY, bucketSeconds: 15 * MINUTE },
  '7d': { seconds: 7 * DAY, bucketSeconds: 2 * HOUR },
  '30d': { seconds: 30 * DAY, bucketSeconds: 6 * HOUR },
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

/** A range laid over the time axis: buckets on UTC multiples of their width, the last one running until `end`. */
export interface UsageSpan {
  readonly range: UsageRangeId
  /** Start of the first bucket. */
  readonly start: EpochMs
  /** Now; what happens at this very instant is not counted yet. */
  readonly end: EpochMs
  readonly bucketSeconds: number
  readonly bucketCount: number
}

/** The span of a range. `earliest` is the oldest usage known of; null where there is none, and `all` then has no bucket. */
export function usageSpanOf(
  range: UsageRangeId,
  now: EpochMs,
  earliest: EpochMs | null,
): UsageSpan {
  if (range !== 'all') {
    const { seconds, bucketSeconds } = fixedRanges[range]
    const bucketCount = seconds / bucketSeconds
    const start = plusMs(
      lastBucketStart(now, bucketSeconds),
      -(bucketCount - 1) * bucketSeconds * 1000,
    )
    return { range, start, end: now, bucketSeconds, bucketCount }
  }
  const historySeconds = earliest === null ? 0 : (now - earliest) / 1000
  const bucketSeconds =
    BUCKETS_BY_HISTORY.find(({ upToSeconds }) => historySeconds <= upToSeconds)?.bucketSeconds ??
    DAY
  if (earliest === null || earliest >= now)
    return { range, start: now, end: now, bucketSeconds, bucketCount: 0 }
  const start = bucketStartOf(earliest, bucketSeconds)
  return {
    range,
    start,
    end: now,
    bucketSeconds,
    bucketCount: bucketIndexOf(lastBucketStart(now, bucketSeconds), { start, bucketSeconds }) + 1,
  }
}

/** Start of the bucket an instant lies in. */
function bucketStartOf(at: EpochMs, bucketSeconds: number): EpochMs {
  const bucketMs = bucketSeconds * 1000
  return epochMs(Math.floor(at / bucketMs) * bucketMs)
}

/** On a boundary the bucket that begins is still empty, so the one before is the last. */
function lastBucketStart(now: EpochMs, bucketSeconds: number): EpochMs {
  return bucketStartOf(plusMs(now, -1), bucketSeconds)
}

function bucketIndexOf(
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

/** Minutes of a bucket that have passed; only the last one is partial. */
export function bucketMinutesOf(
  { start, end, bucketSeconds, bucketCount }: UsageSpan,
  index: number,
): number {
  if (index < bucketCount - 1) return bucketSeconds / 60
  return (end - start) / 60_000 - (index * bucketSeconds) / 60
}

/** Width of the mean. See docs/rules.md#statistics. */
const SMOOTHING_BUCKETS = 5

/** Centred mean of five, of fewer at the edges, with one decimal. */
export function smoothed(values: readonly number[]): readonly number[] {
  const reach = (SMOOTHING_BUCKETS - 1) / 2
  return values.map((_, index) => {
    const near = values.slice(Math.max(0, index - reach), index + reach + 1)
    return Math.round((near.reduce((sum, value) => sum + value, 0) / near.length) * 10) / 10
  })
}

/** What a chart asks for. */
export interface UsageQuery {
  readonly range: UsageRangeId
  readonly group: UsageGroup
  /** What the members of a group are ranked by. */
  readonly metric: UsageMetric
  /** Lines and breakdown rows at most. */
  readonly top: number
}

/** One member of a group bucket by bucket: as many as the span has, zeros included. */
export interface UsageLine extends UsageRow {
  readonly buckets: readonly UsageMeasures[]
}

/** What a chart gets. */
export interface UsageSeries {
  readonly span: UsageSpan
  /** Oldest usage there is; null for none. */
  readonly earliest: EpochMs | null
  readonly coverage: UsageCoverage
  /** Of everything in the span, shown or not. */
  readonly totals: UsageMeasures
  /** The same bucket by bucket. */
  readonly totalBuckets: readonly UsageMeasures[]
  /** Highest usage first. */
  readonly lines: readonly UsageLine[]
  readonly breakdown: UsageBreakdown
}

/** Who the usage is of, highest first. */
export interface UsageBreakdown {
  readonly group: Exclude<UsageGroup, 'total'>
  readonly rows: readonly UsageRow[]
  /** Members that are not among the rows, and what they used together. */
  readonly otherCount: number
  readonly other: UsageMeasures
}

/** The dimension of the breakdown: a total is broken down by account. */
function breakdownGroupOf(group: UsageGroup): Exclude<UsageGroup, 'total'> {
  return group === 'total' ? 'account' : group
}

/** Members by usage, highest first; equal ones by id, so that the order is always the same. */
function byUsage(metric: UsageMetric): (one: UsageRow, other: UsageRow) => number {
  return (one, other) =>
    other[metric] - one[metric] || other.requests - one.requests || (one.id < other.id ? -1 : 1)
}

interface SeriesMoment {
  readonly now: EpochMs
  readonly earliest: EpochMs | null
  /** Where it is left out, everything since `earliest` was watched. */
  readonly watch?: UsageWatch
}

/** Adds records up, one by one: the plainest way to a series. They may come in any order and lie outside the span. */
export function seriesOf(
  records: Iterable<UsageRecord>,
  { range, group, metric, top }: UsageQuery,
  { now, earliest, watch = { since: earliest, missed: [] } }: SeriesMoment,
): UsageSeries {
  const span = usageSpanOf(range, now, earliest)
  const breakdownGroup = breakdownGroupOf(group)
  const totals = emptySum()
  const totalBuckets = Array.from({ length: span.bucketCount }, emptySum)
  const lines = new Map<
    string,
    UsageMember & UsageSum & { readonly buckets: readonly UsageSum[] }
  >()
  const rows = new Map<string, UsageMember & UsageSum>()
  for (const record of records) {
    if (record.at < span.start || record.at >= span.end) continue
    addTo(totals, record)
    addTo(entryOf(rows, memberOf(record, breakdownGroup), emptyRow), record)
    const line = entryOf(lines, memberOf(record, group), (member) => ({
      ...emptyRow(member),
      buckets: Array.from({ length: span.bucketCount }, emptySum),
    }))
    addTo(line, record)
    const index = bucketIndexOf(record.at, span)
    for (const bucket of [line.buckets[index], totalBuckets[index]])
      if (bucket !== undefined) addTo(bucket, record)
  }
  return {
    span,
    earliest,
    coverage: usageCoverageOf(span, watch),
    totals,
    totalBuckets,
    lines: [...lines.values()].sort(byUsage(metric)).slice(0, top),
    breakdown: breakdownOf([...rows.values()], breakdownGroup, { metric, top }),
  }
}

/** The highest rows, and the rest in one. */
export function breakdownOf(
  rows: readonly UsageRow[],
  group: UsageBreakdown['group'],
  { metric, top }: Pick<UsageQuery, 'metric' | 'top'>,
): UsageBreakdown {
  const ranked = [...rows].sort(byUsage(metric))
  return {
    group,
    rows: ranked.slice(0, top),
    otherCount: Math.max(0, ranked.length - top),
    other: sumOfUsage(ranked.slice(top)),
  }
}

/** The one line of the group `total`. */
export const totalMember: UsageMember = { id: 'total', label: 'Total' }

function memberOf(
  { account, client, model, apiName }: UsageRecord,
  group: UsageGroup,
): UsageMember {
  switch (group) {
    case 'total':
      return totalMember
    case 'account':
      return account
    case 'client':
      return client
    case 'model':
      return { id: model, label: model }
    case 'api':
      return { id: apiName, label: apiName }
    default:
      return group satisfies never
  }
}
