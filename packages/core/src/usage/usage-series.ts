import type { ProviderId } from '../facts/provider.ts'
import { type EpochMs, plusMs } from '../facts/time.ts'
import {
  emptyRow,
  entryOf,
  providerMember,
  type UsageGroup,
  type UsageMember,
  type UsageRecord,
  type UsageRow,
} from './usage.ts'
import {
  addTo,
  emptySum,
  restOf,
  sumOfUsage,
  type UsageCounts,
  type UsageSum,
} from './usage-counts.ts'
import { type UsageCoverage, usageCoverageOf, type WatchedTime } from './usage-coverage.ts'
import { metricRow, rankOf, type UsageMetric } from './usage-metrics.ts'
import {
  type ChartRows,
  percentilesOf,
  type RowsRefusal,
  rowsRefusalOf,
  type TimedRequest,
  type UsagePercentiles,
} from './usage-percentiles.ts'
import {
  bucketIndexOf,
  fixedRanges,
  type UsageBucketId,
  type UsageRangeId,
  type UsageSpan,
  usageSpanOf,
} from './usage-span.ts'

/** Buckets in the smoothing mean. See docs/rules.md#statistics. */
const SMOOTHING_BUCKETS = 5

/** Centred mean of the known values among five, fewer at the edges, rounded to one decimal. Unknown values stay unknown. */
export function smoothed<Value extends number | null>(values: readonly Value[]): readonly Value[] {
  const reach = (SMOOTHING_BUCKETS - 1) / 2
  return values.map((value, index) => {
    if (value === null) return value
    const near = values
      .slice(Math.max(0, index - reach), index + reach + 1)
      .filter((one) => one !== null)
    return (Math.round((near.reduce<number>((sum, one) => sum + one, 0) / near.length) * 10) /
      10) as Value
  })
}

/** Parameters of a chart. */
export interface UsageQuery {
  readonly range: UsageRangeId
  /** Width of the buckets; `auto` if omitted. */
  readonly bucket?: UsageBucketId
  readonly group: UsageGroup
  /** Metric by which members are ranked. */
  readonly metric: UsageMetric
  /** Most lines and breakdown rows. */
  readonly top: number
  /** Whether to return the previous period of equal length as well. */
  readonly compare?: boolean
  /** Providers whose usage is counted; all if omitted. */
  readonly providers?: readonly ProviderId[]
  /** Providers of the listed accounts, by key; needed with `providers`, because sums by account do not name them. */
  readonly listed?: ReadonlyMap<string, ProviderId>
}

/** Groups whose sums tell providers apart; of other groups, rows are counted one by one. */
const OF_ONE_PROVIDER: ReadonlySet<UsageGroup> = new Set(['total', 'account', 'provider'])

/** Reason why the lines of a chart of some providers are not offered; null if they are. */
export function linesRefusalOf(
  { group, providers }: Pick<UsageQuery, 'group' | 'providers'>,
  rows: ChartRows,
): RowsRefusal | null {
  return providers === undefined || OF_ONE_PROVIDER.has(group) ? null : rowsRefusalOf(rows)
}

/** Usage of one member of a group, with an entry for every bucket of the span, zeros included. */
export interface UsageLine extends UsageRow {
  readonly buckets: readonly UsageCounts[]
}

/** Data of a chart. */
export interface UsageSeries {
  readonly span: UsageSpan
  /** Time of the oldest usage; null if there is none. */
  readonly earliest: EpochMs | null
  readonly coverage: UsageCoverage
  /** Totals of the whole span, including members that are not shown. */
  readonly totals: UsageCounts
  readonly totalBuckets: readonly UsageCounts[]
  /** Highest usage first. */
  readonly lines: readonly UsageLine[]
  /** Reason for the absence of lines and of rows of the breakdown; null if they are offered. */
  readonly refused: RowsRefusal | null
  readonly breakdown: UsageBreakdown
  /** Null if it was not requested, or if the range cannot be compared. */
  readonly previous: PreviousPeriod | null
  /** Null if the metric is no percentile. */
  readonly percentiles: UsagePercentiles | null
}

/** Usage by member, highest first. */
export interface UsageBreakdown {
  readonly group: Exclude<UsageGroup, 'total'>
  readonly rows: readonly UsageRow[]
  /** Number of members without a row; `other` is their combined usage. */
  readonly otherCount: number
  readonly other: UsageCounts
}

/** The dimension of the breakdown: a total is broken down by account. */
function breakdownGroupOf(group: UsageGroup): Exclude<UsageGroup, 'total'> {
  return group === 'total' ? 'account' : group
}

/** Sorts members by usage, highest first; ties go by id, so that the order is stable. */
function byUsage(metric: UsageMetric): (one: UsageRow, other: UsageRow) => number {
  return (one, other) =>
    rankOf(metric, other) - rankOf(metric, one) ||
    other.requests - one.requests ||
    (one.id < other.id ? -1 : 1)
}

interface SeriesMoment {
  readonly now: EpochMs
  readonly earliest: EpochMs | null
  /** Watched time. Default: all time since `earliest`. */
  readonly watch?: WatchedTime
  /** Time before which rows were deleted and only their sums kept; null or omitted if none were. */
  readonly rowsSince?: EpochMs | null
}

/** Adds records up one by one, the simplest way to build a series. Records may be in any order and lie outside the span. */
export function seriesOf(
  records: Iterable<UsageRecord>,
  query: UsageQuery,
  { now, earliest, watch = { since: earliest, missed: [] }, rowsSince = null }: SeriesMoment,
): UsageSeries {
  const { range, bucket, group, metric, top, providers } = query
  const span = usageSpanOf(range, now, earliest, bucket)
  const breakdownGroup = breakdownGroupOf(group)
  const totals = emptySum()
  const totalBuckets = Array.from({ length: span.bucketCount }, emptySum)
  const lines = new Map<
    string,
    UsageMember & UsageSum & { readonly buckets: readonly UsageSum[] }
  >()
  const rows = new Map<string, UsageMember & UsageSum>()
  const earlier = query.compare ? createPrevious(previousSpanOf(span)) : null
  const timed: TimedRequest[] = []
  let scanned = 0
  for (const record of records) {
    if (isWithin(span, record.at)) scanned += record.requests
    if (providers?.includes(record.provider) === false) continue
    earlier?.add(memberOf(record, group).id, record)
    timed.push(...timedRequestOf(record, breakdownGroup, metric))
    if (!isWithin(span, record.at)) continue
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
  const inRows = { span, scanned, rowsSince }
  const refused = linesRefusalOf(query, inRows)
  const [offered, told] = refused === null ? [lines.values(), rows.values()] : [[], []]
  const shown = [...offered].sort(byUsage(metric)).slice(0, top)
  const breakdown = breakdownOf([...told], breakdownGroup, { metric, top }, totals)
  const memberIds = breakdown.rows.map(({ id }) => id)
  const percentilesIn = (of: UsageSpan, { requests }: UsageCounts) =>
    percentilesOf(
      { ...inRows, metric, span: of, requests, memberIds },
      timed.filter(({ at }) => isWithin(of, at)),
    )
  const previous = comparedSpanOf(query, inRows) && (earlier?.of(shown, watch) ?? null)
  return {
    span,
    earliest,
    coverage: usageCoverageOf(span, watch),
    totals,
    totalBuckets,
    lines: shown,
    refused,
    breakdown,
    percentiles: percentilesIn(span, totals),
    previous: previous && {
      ...previous,
      percentiles: percentilesIn(previous.span, previous.totals),
    },
  }
}

function isWithin({ from, end }: UsageSpan, at: EpochMs): boolean {
  return at >= from && at < end
}

/** The time of a record; empty if the metric is no percentile, the time is unknown, or the request failed. */
function timedRequestOf(
  record: UsageRecord,
  group: UsageGroup,
  metric: UsageMetric,
): readonly TimedRequest[] {
  const row = metricRow(metric)
  const milliseconds = row.kind === 'percentile' ? record[row.of] : null
  if (milliseconds == null || record.failed > 0) return []
  return [{ at: record.at, memberId: memberOf(record, group).id, milliseconds }]
}

/** Adds up the previous period; null if `span` is null. */
function createPrevious(span: UsageSpan | null) {
  if (span === null) return null
  const emptyBuckets = () => Array.from({ length: span.bucketCount }, emptySum)
  const totalBuckets = emptyBuckets()
  const byMember = new Map<string, readonly UsageSum[]>()
  return {
    add(memberId: string, record: UsageRecord): void {
      if (!isWithin(span, record.at)) return
      const buckets = byMember.get(memberId) ?? emptyBuckets()
      byMember.set(memberId, buckets)
      const index = bucketIndexOf(record.at, span)
      for (const bucket of [buckets[index], totalBuckets[index]])
        if (bucket !== undefined) addTo(bucket, record)
    },
    of: (lines: readonly UsageRow[], watch: WatchedTime): Omit<PreviousPeriod, 'percentiles'> => ({
      span,
      coverage: usageCoverageOf(span, watch),
      totals: sumOfUsage(totalBuckets),
      totalBuckets,
      bucketsById: new Map(lines.map(({ id }) => [id, byMember.get(id) ?? emptyBuckets()])),
    }),
  }
}

/** The highest rows, with the remaining members combined into one. Usage in `totals` that is in no row counts as one more member. */
export function breakdownOf(
  rows: readonly UsageRow[],
  group: UsageBreakdown['group'],
  { metric, top }: Pick<UsageQuery, 'metric' | 'top'>,
  totals: UsageCounts = sumOfUsage(rows),
): UsageBreakdown {
  const ranked = [...rows].sort(byUsage(metric))
  const untold = restOf(totals, sumOfUsage(rows))
  return {
    group,
    rows: ranked.slice(0, top),
    otherCount: Math.max(0, ranked.length - top) + (untold.requests > 0 ? 1 : 0),
    other: sumOfUsage([...ranked.slice(top), untold]),
  }
}

/** The only line of the group `total`. */
export const totalMember: UsageMember = { id: 'total', label: 'Total' }

function memberOf(
  { account, client, model, apiName, provider, upstream }: UsageRecord,
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
    case 'provider':
      return providerMember(provider)
    case 'upstream':
      return { id: upstream, label: upstream }
    default:
      return group satisfies never
  }
}

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
  return { ...span, from: earlier(span.from), start: earlier(span.start), end: earlier(span.end) }
}

/** The span to compare a chart with; null if it cannot be compared, or if its lines are not offered there. */
export function comparedSpanOf(query: UsageQuery, rows: ChartRows): UsageSpan | null {
  const span = query.compare ? previousSpanOf(rows.span) : null
  return span === null || linesRefusalOf(query, { ...rows, span }) !== null ? null : span
}

/** Change against the previous period, in whole percent; null if that period was not watched throughout or had no usage, and if either is unknown. */
export function changePercentOf(
  now: number | null,
  before: number | null,
  { coverage, span }: Pick<PreviousPeriod, 'coverage' | 'span'>,
): number | null {
  const isWatched = coverage.since !== null && coverage.since <= span.from
  return isWatched && now !== null && before !== null && before > 0
    ? Math.round((100 * (now - before)) / before)
    : null
}
