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
import type { PriceSource } from './usage-cost.ts'
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
import { percentilesOf, type TimedRequest, type UsagePercentiles } from './usage-percentiles.ts'
import {
  type PlanFacts,
  type PlanRefusal,
  planFacet,
  planUsage,
  QUESTION_REQUESTS_MAX,
  type QuestionPlan,
} from './usage-plan.ts'
import {
  breakdownGroupOf,
  countedPart,
  idIn,
  pairOf,
  type UsageDimension,
  type UsageQuestion,
  usageDimensions,
} from './usage-question.ts'
import {
  bucketIndexOf,
  customSpanOf,
  fixedRanges,
  type UsageSpan,
  usageSpanOf,
} from './usage-span.ts'

/** Buckets in the smoothing mean. See docs/rules.md#statistics. */
const SMOOTHING_BUCKETS = 5

/** Centred mean of the known values among five, fewer at the edges, rounded to a number of decimals. Unknown values stay unknown. */
export function smoothed<Value extends number | null>(
  values: readonly Value[],
  decimals = 1,
): readonly Value[] {
  const scale = 10 ** decimals
  const reach = (SMOOTHING_BUCKETS - 1) / 2
  return values.map((value, index) => {
    if (value === null) return value
    const near = values
      .slice(Math.max(0, index - reach), index + reach + 1)
      .filter((one) => one !== null)
    return (Math.round((near.reduce<number>((sum, one) => sum + one, 0) / near.length) * scale) /
      scale) as Value
  })
}

/** Usage of one member of a group, with an entry for every bucket of the span, zeros included. */
export interface UsageLine extends UsageRow {
  readonly buckets: readonly UsageCounts[]
}

/** Reason why nothing answers a question exactly. */
export interface QuestionRefused {
  readonly reason: PlanRefusal
  /** Number of all requests in the span. */
  readonly requests: number
  /** Time before which single requests were deleted; null if none were. */
  readonly rowsSince: EpochMs | null
  /** Start of the longest span with the same end that would be answered; null if there is none. */
  readonly longestFrom: EpochMs | null
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
  /** Reason why the question was not answered; the rest is empty then. Null if it was. */
  readonly refused: QuestionRefused | null
  readonly breakdown: UsageBreakdown
  /** Usage by each dimension asked for, without those that nothing tells. */
  readonly facets: readonly UsageBreakdown[]
  readonly source: 'sums' | 'rows'
  /** Whether the time was widened to whole sums, because the requests at its edges are gone. */
  readonly widened: boolean
  /** Whether the buckets are wider than those asked for. */
  readonly coarser: boolean
  /** Dimensions of which the filter names an id that no request has. */
  readonly unknownIds: readonly UsageDimension[]
  /** Whether there are prices, without which no cost is known. */
  readonly isPriced: boolean
  /** The newest price file; null without one. */
  readonly priceSource: PriceSource | null
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
  /** Time before which no sums of accounts or clients by price are kept; null or omitted if they begin with the history. */
  readonly pairsSince?: EpochMs | null
  /** Prices by which the records have their cost; omitted without any. */
  readonly prices?: {
    readonly isEmpty: boolean
    readonly source: PriceSource | null
    /** Whether the cost of a request depends on its account. */
    readonly isByAccount: boolean
  }
}

/** Time and buckets that a question asks for. `earliest`: oldest known usage. */
export function spanAskedBy(
  { range, between, bucket }: Pick<UsageQuestion, 'range' | 'between' | 'bucket'>,
  now: EpochMs,
  earliest: EpochMs | null,
): UsageSpan {
  if (range !== 'custom') return usageSpanOf(range, now, earliest, bucket)
  if (between === undefined) throw new Error('a custom range without its time')
  return customSpanOf(between, bucket)
}

/** Adds records up one by one, the simplest way to answer a question. Records may be in any order and lie outside the span. */
export function seriesOf(
  records: Iterable<UsageRecord>,
  question: UsageQuestion,
  moment: SeriesMoment,
): UsageSeries {
  const { now, earliest, rowsSince = null, pairsSince = null } = moment
  const { watch = { since: earliest, missed: [] }, prices } = moment
  const { metric, top } = question
  const given = [...records]
  const all = metric === 'cost' ? given : given.map(withoutCost)
  const requestsIn = (of: UsageSpan) =>
    sumOfUsage(all.filter(({ at }) => isWithin(of, at))).requests
  const asked = spanAskedBy(question, now, earliest)
  const facts = {
    now,
    rowsSince,
    pairsSince,
    isPricedByAccount: prices?.isByAccount === true,
    requests: requestsIn(asked),
  }
  const plan = planUsage(question, asked, facts)
  const emptyBuckets = (of: UsageSpan) => Array.from({ length: of.bucketCount }, emptySum)
  const totalBucketsIn = (some: readonly UsageRecord[], of: UsageSpan) =>
    linesFrom(some, of, () => totalMember)[0]?.buckets ?? emptyBuckets(of)
  const longest =
    typeof plan === 'string'
      ? longestSpanFrom(newestFirst(asked, totalBucketsIn(all, asked)), facts)
      : null
  const { span, ...answered } = settledPlan(plan, asked, facts, longest)
  const counted =
    answered.refused === null ? all.flatMap((one) => countedPart(one, question.filter) ?? []) : []
  const inSpan = counted.filter(({ at }) => isWithin(span, at))
  const lines = linesFrom(inSpan, span, (record) => memberOf(record, question))
  const broken = { ...question, group: breakdownGroupOf(question) }
  const rows = rowsFrom(inSpan, broken)
  const totals = sumOfUsage(inSpan)
  const shown = [...lines].sort(byUsage(metric)).slice(0, top)
  const breakdown = breakdownOf(rows, breakdownGroupOf(question), { metric, top }, totals)
  const before = question.compare && answered.refused === null ? previousSpanOf(span) : null
  const isComparable =
    before !== null &&
    isPlanned(planUsage(question, before, { ...facts, requests: requestsIn(before) }))
  const earlier = isComparable ? counted.filter(({ at }) => isWithin(before, at)) : []
  const earlierLines =
    before === null ? [] : linesFrom(earlier, before, (record) => memberOf(record, question))
  const timed = counted.flatMap((record) => timedRequestOf(record, question))
  const memberIds = breakdown.rows.map(({ id }) => id)
  const percentilesIn = (of: UsageSpan, requests: number) =>
    percentilesOf(
      { span: of, scanned: facts.requests, rowsSince, metric, requests, memberIds },
      timed.filter(({ at }) => isWithin(of, at)),
    )
  return {
    span,
    ...answered,
    earliest,
    isPriced: prices?.isEmpty === false,
    priceSource: prices?.source ?? null,
    unknownIds: usageDimensions.filter((dimension) =>
      question.filter?.[dimension]?.some(
        (id) => !all.some((record) => idIn(record, dimension) === id),
      ),
    ),
    coverage: usageCoverageOf(span, watch),
    totals,
    totalBuckets: totalBucketsIn(inSpan, span),
    lines: shown,
    breakdown,
    facets: (answered.refused === null ? (question.facets ?? []) : []).flatMap((group) => {
      const facet = planFacet(question, group, span, facts)?.question
      return facet === undefined ? [] : [breakdownOf(rowsFrom(inSpan, facet), group, facet, totals)]
    }),
    percentiles: answered.refused === null ? percentilesIn(span, totals.requests) : null,
    previous: !isComparable
      ? null
      : {
          span: before,
          coverage: usageCoverageOf(before, watch),
          totals: sumOfUsage(earlier),
          totalBuckets: totalBucketsIn(earlier, before),
          bucketsById: new Map(
            shown.map(({ id }) => [
              id,
              earlierLines.find((line) => line.id === id)?.buckets ?? emptyBuckets(before),
            ]),
          ),
          percentiles: percentilesIn(before, sumOfUsage(earlier).requests),
        },
  }
}

function withoutCost(record: UsageRecord): UsageRecord {
  if (record.cost === undefined) return record
  const { cost: _, ...rest } = record
  return rest
}

/** The plan as members of the answer, or the reason for its absence, which names `longestFrom`. */
export function settledPlan(
  plan: QuestionPlan | PlanRefusal,
  asked: UsageSpan,
  { requests, rowsSince }: PlanFacts,
  longestFrom: EpochMs | null,
): Pick<UsageSeries, 'span' | 'source' | 'widened' | 'coarser' | 'refused'> {
  if (typeof plan !== 'string') {
    const { span, source, widened, coarser } = plan
    return { span, source: source === 'rows' ? 'rows' : 'sums', widened, coarser, refused: null }
  }
  const refused = { reason: plan, requests, rowsSince, longestFrom }
  return { span: asked, source: 'rows', widened: false, coarser: false, refused }
}

/** Whether the previous period of a chart has the same buckets as the chart. */
export function isPlanned(plan: QuestionPlan | PlanRefusal): plan is QuestionPlan {
  return typeof plan !== 'string' && !plan.coarser
}

/** Start of the longest span with the same end that single requests answer, from the numbers of requests in buckets, newest first; null if there is none. */
export function longestSpanFrom(
  counted: Iterable<{ readonly at: EpochMs; readonly requests: number }>,
  { rowsSince }: Pick<PlanFacts, 'rowsSince'>,
): EpochMs | null {
  let from: EpochMs | null = null
  let requests = 0
  for (const one of counted) {
    requests += one.requests
    if (requests > QUESTION_REQUESTS_MAX || (rowsSince !== null && one.at < rowsSince)) break
    from = one.at
  }
  return from
}

/** Numbers of requests in buckets, the newest first, each with its start. */
export function newestFirst(
  { start, bucketSeconds }: UsageSpan,
  buckets: readonly UsageCounts[],
): readonly { readonly at: EpochMs; readonly requests: number }[] {
  return buckets
    .map(({ requests }, index) => ({ at: plusMs(start, index * bucketSeconds * 1000), requests }))
    .reverse()
}

function rowsFrom(
  records: readonly UsageRecord[],
  question: Pick<UsageQuestion, 'group' | 'second'>,
): readonly UsageRow[] {
  const rows = new Map<string, UsageMember & UsageSum>()
  for (const record of records) addTo(entryOf(rows, memberOf(record, question), emptyRow), record)
  return [...rows.values()]
}

function linesFrom(
  records: readonly UsageRecord[],
  span: UsageSpan,
  memberIn: (record: UsageRecord) => UsageMember,
): readonly UsageLine[] {
  const lines = new Map<
    string,
    UsageMember & UsageSum & { readonly buckets: readonly UsageSum[] }
  >()
  for (const record of records) {
    const line = entryOf(lines, memberIn(record), (member) => ({
      ...emptyRow(member),
      buckets: Array.from({ length: span.bucketCount }, emptySum),
    }))
    addTo(line, record)
    const bucket = line.buckets[bucketIndexOf(record.at, span)]
    if (bucket !== undefined) addTo(bucket, record)
  }
  return [...lines.values()]
}

function isWithin({ from, end }: UsageSpan, at: EpochMs): boolean {
  return at >= from && at < end
}

/** The time of a record; empty if the metric is no percentile, the time is unknown, or the request failed. */
function timedRequestOf(record: UsageRecord, question: UsageQuestion): readonly TimedRequest[] {
  const row = metricRow(question.metric)
  const milliseconds = row.kind === 'percentile' ? record[row.of] : null
  if (milliseconds == null || record.failed > 0) return []
  return [
    {
      at: record.at,
      memberId: memberOf(record, { ...question, group: breakdownGroupOf(question) }).id,
      milliseconds,
    },
  ]
}

/** The highest rows, with the remaining members combined into one. Usage in `totals` that is in no row counts as one more member. */
export function breakdownOf(
  rows: readonly UsageRow[],
  group: UsageBreakdown['group'],
  { metric, top }: Pick<UsageQuestion, 'metric' | 'top'>,
  totals?: UsageCounts,
): UsageBreakdown {
  const ranked = [...rows].sort(byUsage(metric))
  const told = sumOfUsage(rows)
  const untold = restOf(totals ?? told, told)
  return {
    group,
    rows: ranked.slice(0, top),
    otherCount: Math.max(0, ranked.length - top) + (untold.requests > 0 ? 1 : 0),
    other: sumOfUsage([...ranked.slice(top), untold]),
  }
}

/** The only line of the group `total`. */
export const totalMember: UsageMember = { id: 'total', label: 'Total' }

/** Member of the question's groups that a record counts for. */
function memberOf(
  record: UsageRecord,
  { group, second }: Pick<UsageQuestion, 'group' | 'second'>,
): UsageMember {
  const member = memberOfGroup(record, group)
  return second === undefined ? member : pairOf(member, memberOfGroup(record, second))
}

function memberOfGroup(
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
const COMPARABLE: ReadonlySet<UsageSpan['range']> = new Set(['1h', '6h', '24h', '7d'])

/** The span right before this one; null if its range cannot be compared, or not in buckets finer than its own. */
export function previousSpanOf(span: UsageSpan): UsageSpan | null {
  if (span.range === 'custom') {
    const from = plusMs(span.from, span.from - span.end)
    return customSpanOf({ from, to: span.from }, span.bucketSeconds)
  }
  if (span.range === 'all' || !COMPARABLE.has(span.range)) return null
  const { seconds, bucketSeconds } = fixedRanges[span.range]
  if (span.bucketSeconds < bucketSeconds) return null
  const earlier = (at: EpochMs) => plusMs(at, -seconds * 1000)
  return { ...span, from: earlier(span.from), start: earlier(span.start), end: earlier(span.end) }
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
