import type { EpochMs } from '../facts/time.ts'
import type { UsageMeasures } from '../facts/usage-measures.ts'
import { type PreviousPeriod, previousSpanOf } from './previous-period.ts'
import {
  addTo,
  emptyRow,
  emptySum,
  entryOf,
  providerMember,
  sumOfUsage,
  type UsageGroup,
  type UsageMember,
  type UsageMetric,
  type UsageRecord,
  type UsageRow,
  type UsageSum,
} from './usage.ts'
import { type UsageCoverage, type UsageWatch, usageCoverageOf } from './usage-coverage.ts'
import { bucketIndexOf, type UsageRangeId, type UsageSpan, usageSpanOf } from './usage-span.ts'

/** Buckets in the smoothing mean. See docs/rules.md#statistics. */
const SMOOTHING_BUCKETS = 5

/** Centred mean of five values, fewer at the edges, rounded to one decimal. */
export function smoothed(values: readonly number[]): readonly number[] {
  const reach = (SMOOTHING_BUCKETS - 1) / 2
  return values.map((_, index) => {
    const near = values.slice(Math.max(0, index - reach), index + reach + 1)
    return Math.round((near.reduce((sum, value) => sum + value, 0) / near.length) * 10) / 10
  })
}

/** Parameters of a chart. */
export interface UsageQuery {
  readonly range: UsageRangeId
  readonly group: UsageGroup
  /** Measure the members of a group are ranked by. */
  readonly metric: UsageMetric
  /** Most lines and breakdown rows. */
  readonly top: number
  /** Whether to return the previous period of equal length as well. */
  readonly compare?: boolean
}

/** One member of a group, bucket by bucket: one entry for every bucket of the span, zeros included. */
export interface UsageLine extends UsageRow {
  readonly buckets: readonly UsageMeasures[]
}

/** Data of a chart. */
export interface UsageSeries {
  readonly span: UsageSpan
  /** Time of the oldest usage; null if there is none. */
  readonly earliest: EpochMs | null
  readonly coverage: UsageCoverage
  /** Totals of the whole span, including members that are not shown. */
  readonly totals: UsageMeasures
  /** Totals of each bucket. */
  readonly totalBuckets: readonly UsageMeasures[]
  /** Highest usage first. */
  readonly lines: readonly UsageLine[]
  readonly breakdown: UsageBreakdown
  /** Null if it was not requested, or if the range cannot be compared. */
  readonly previous: PreviousPeriod | null
}

/** Usage by member, highest first. */
export interface UsageBreakdown {
  readonly group: Exclude<UsageGroup, 'total'>
  readonly rows: readonly UsageRow[]
  /** Number of members without a row; `other` is their combined usage. */
  readonly otherCount: number
  readonly other: UsageMeasures
}

/** The dimension of the breakdown: a total is broken down by account. */
function breakdownGroupOf(group: UsageGroup): Exclude<UsageGroup, 'total'> {
  return group === 'total' ? 'account' : group
}

/** Sorts members by usage, highest first; ties go by id, so that the order is stable. */
function byUsage(metric: UsageMetric): (one: UsageRow, other: UsageRow) => number {
  return (one, other) =>
    other[metric] - one[metric] || other.requests - one.requests || (one.id < other.id ? -1 : 1)
}

interface SeriesMoment {
  readonly now: EpochMs
  readonly earliest: EpochMs | null
  /** Left out: all time since `earliest` was watched. */
  readonly watch?: UsageWatch
}

/** Adds records up one by one, the simplest way to build a series. Records may be in any order and lie outside the span. */
export function seriesOf(
  records: Iterable<UsageRecord>,
  { range, group, metric, top, compare = false }: UsageQuery,
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
  const earlier = compare ? createPrevious(previousSpanOf(span)) : null
  for (const record of records) {
    earlier?.add(memberOf(record, group).id, record)
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
  const shown = [...lines.values()].sort(byUsage(metric)).slice(0, top)
  return {
    span,
    earliest,
    coverage: usageCoverageOf(span, watch),
    totals,
    totalBuckets,
    lines: shown,
    breakdown: breakdownOf([...rows.values()], breakdownGroup, { metric, top }),
    previous: earlier?.of(shown, watch) ?? null,
  }
}

/** Adds up the previous period; null if `span` is null. */
function createPrevious(span: UsageSpan | null) {
  if (span === null) return null
  const emptyBuckets = () => Array.from({ length: span.bucketCount }, emptySum)
  const totalBuckets = emptyBuckets()
  const byMember = new Map<string, readonly UsageSum[]>()
  return {
    add(memberId: string, record: UsageRecord): void {
      if (record.at < span.start || record.at >= span.end) return
      const buckets = byMember.get(memberId) ?? emptyBuckets()
      byMember.set(memberId, buckets)
      const index = bucketIndexOf(record.at, span)
      for (const bucket of [buckets[index], totalBuckets[index]])
        if (bucket !== undefined) addTo(bucket, record)
    },
    of: (lines: readonly UsageRow[], watch: UsageWatch): PreviousPeriod => ({
      span,
      coverage: usageCoverageOf(span, watch),
      totals: sumOfUsage(totalBuckets),
      totalBuckets,
      bucketsById: new Map(lines.map(({ id }) => [id, byMember.get(id) ?? emptyBuckets()])),
    }),
  }
}

/** The highest rows, with the remaining members combined into one. */
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
