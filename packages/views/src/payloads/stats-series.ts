import { instantToIso, type ProviderId } from '@svc/core'
import {
  breakdownGroupOf,
  bucketOf,
  bucketStartsOf,
  changePercentOf,
  costIn,
  fixedRanges,
  isFailing,
  isUncovered,
  metricOf,
  metricRow,
  type PercentileLine,
  providerOfAccount,
  smoothed,
  sumOfUsage,
  totalMember,
  type UsageBreakdown,
  type UsageBucketId,
  type UsageCounts,
  type UsageCoverage,
  type UsageDimension,
  type UsageFilter,
  type UsageGroup,
  type UsageLine,
  type UsageMember,
  type UsageMetric,
  type UsageMode,
  type UsagePercentiles,
  type UsageQuestion,
  type UsageRow,
  type UsageSeries,
  type UsageSpan,
  usageBucketIds,
  usageGroups,
  usageMetrics,
  usageModes,
  usageRangeIds,
} from '@svc/core/usage'
import { usdText } from '../format/format.ts'
import type { Catalogue } from '../messages/en/catalogue.ts'
import { noUsage, perMinute, rateTexts, totalTexts, usageLine } from '../messages/usage-text.ts'
import { unknownIdWarnings } from './asked-usage.ts'
import { NO_USD, priceSourceView, statedCost } from './cost.ts'
import { harmlessId } from './csv.ts'
import { SERIES_TOP_MAX, SERIES_TOP_MIN, type StatsSeries } from './stats-series-schema.ts'

/** All parameters of a chart. */
export interface SeriesQuery extends UsageQuestion {
  readonly bucket: UsageBucketId
  readonly smooth: boolean
  readonly mode: UsageMode
  /** Adds the previous period of equal length. */
  readonly compare: boolean
}

/** Defaults of a chart's query. */
export const seriesDefaults: SeriesQuery = {
  range: '24h',
  bucket: 'auto',
  metric: 'tokens',
  group: 'total',
  top: 8,
  smooth: true,
  mode: 'bucket',
  compare: false,
}
interface SeriesContext {
  readonly query: SeriesQuery
  readonly words: Catalogue
}

interface SeriesAsked {
  /** Warnings about replaced or ignored parameters. */
  readonly warnings: readonly string[]
  readonly words: Catalogue
}

/** The answer of `/api/v1/stats/series`. `usage` is null without a history. */
export function statsSeriesView(
  usage: UsageSeries | null,
  asked: SeriesQuery,
  { warnings, words }: SeriesAsked,
): StatsSeries {
  const isPriced = usage?.isPriced === true
  const isOffered = asked.metric !== 'cost' || isPriced
  const query = isOffered ? asked : { ...asked, metric: seriesDefaults.metric }
  const { range, bucket, metric, top, smooth, mode, compare, filter = {}, facets } = query
  const available = usage !== null && usage.earliest !== null
  const span = available ? usage.span : null
  const context = { query, words }
  const fixedRange = range === 'all' || range === 'custom' ? null : fixedRanges[range]
  return {
    title: words.usage.title,
    summary: available ? usageLine(usage.totals, range, words) : words.usage.noHistory,
    defaults: { ...seriesDefaults },
    options: seriesOptions(words, isPriced),
    query: {
      range,
      bucket,
      metric,
      group: groupText(query),
      top,
      smooth,
      mode,
      compare,
      ...(filter.provider === undefined ? {} : { provider: filter.provider.join(',') }),
      ...(Object.keys(filter).length === 0 ? {} : { filter: filterView(filter) }),
      ...(facets === undefined ? {} : { facets: [...facets] }),
      ...(available
        ? {
            from: instantToIso(usage.span.from),
            to: instantToIso(usage.span.end),
            widened: usage.widened,
            coarser: usage.coarser,
            source: usage.source,
          }
        : {}),
    },
    ...warningsView(usage, isOffered ? warnings : [...warnings, NO_PRICES]),
    available,
    bucketSeconds: span?.bucketSeconds ?? fixedRange?.bucketSeconds ?? 0,
    range: {
      id: range,
      label: words.usage.ranges[range],
      seconds: fixedRange?.seconds ?? null,
      start: span === null ? null : instantToIso(span.from),
      end: span === null ? null : instantToIso(span.end),
      earliest: available && usage.earliest !== null ? instantToIso(usage.earliest) : null,
    },
    ...valueStateOf(metric, available ? usage.percentiles : null),
    ...(metric === 'cost' ? { priceSource: priceSourceView(usage?.priceSource ?? null) } : {}),
    totals: {
      ...measuresView(available ? usage.totals : noUsage, minutesIn(query, span), words),
      ...(available
        ? valueIn(metric, usage.totals, totalOf(usage.percentiles)?.whole)
        : valueIn(metric, null)),
      ...(available ? costView(usage.totals, context, span) : {}),
    },
    coverage: coverageView(available ? usage.coverage : null),
    total: available
      ? lineView({ ...totalMember, ...usage.totals, buckets: usage.totalBuckets }, usage, context)
      : null,
    series: available ? usage.lines.map((line) => lineView(line, usage, context)) : [],
    previous: available ? previousView(usage, context) : null,
    breakdown: available
      ? breakdownWithValues(usage, context)
      : usageBreakdownView(
          {
            group: breakdownGroupOf(query),
            rows: [],
            otherCount: 0,
            other: sumOfUsage([]),
          },
          words,
          minutesIn(query, span),
        ),
    ...(facets === undefined ? {} : { facets: available ? facetsView(usage, context) : [] }),
    export: { jsonPath: pathOf(query, 'json'), csvPath: pathOf(query, 'csv') },
  }
}

const NO_PRICES = `metric: cost needs prices, and there are none; ${seriesDefaults.metric} is shown`

/** One group, or two separated by a comma. */
function groupText({
  group,
  second,
}: {
  readonly group: UsageGroup
  readonly second?: UsageDimension | undefined
}): StatsSeries['query']['group'] {
  // Only a dimension has a second one beside it.
  return second === undefined ? group : `${group as UsageDimension},${second}`
}

/** Filters as asked for. */
export function filterView(filter: UsageFilter): NonNullable<StatsSeries['query']['filter']> {
  return Object.fromEntries(
    Object.entries(filter).map(([name, values]) => [
      name,
      typeof values === 'string' ? [values] : values.map(harmlessId),
    ]),
  )
}

/** Warnings about parameters, and about ids that no request has. */
function warningsView(
  usage: UsageSeries | null,
  warnings: readonly string[],
): Pick<StatsSeries, 'warnings'> {
  const unknown = unknownIdWarnings(usage?.unknownIds ?? [])
  const all = [...warnings, ...unknown]
  return all.length === 0 ? {} : { warnings: all }
}

/** Metrics that have a property of their own; all others are in `value`. */
const OWN_PROPERTY: ReadonlySet<UsageMetric> = new Set(['tokens', 'requests', 'failed'])

/** The value of a metric without a property of its own; `counts` is null without a history. */
function valueIn(
  metric: UsageMetric,
  counts: UsageCounts | null,
  percentile: number | null = null,
): Pick<StatsSeries['totals'], 'value'> {
  if (OWN_PROPERTY.has(metric)) return {}
  return { value: (counts && countedValue(metric, counts)) ?? percentile }
}

/** Value of a metric over counts, shares with one decimal; null if unknown or a percentile. */
function countedValue(metric: UsageMetric, counts: UsageCounts): number | null {
  const value = metricOf(metric, counts)
  return value !== null && metricRow(metric).kind === 'share' ? Math.round(value * 10) / 10 : value
}

function valueStateOf(
  metric: UsageMetric,
  percentiles: UsagePercentiles | null,
): Pick<StatsSeries, 'valueUnit' | 'notOffered'> {
  if (OWN_PROPERTY.has(metric)) return {}
  return {
    valueUnit: metricRow(metric).unit,
    ...(percentiles?.kind === 'not_offered' ? { notOffered: percentiles.reason } : {}),
  }
}

function totalOf(percentiles: UsagePercentiles | null): PercentileLine | undefined {
  return percentiles?.kind === 'offered' ? percentiles.total : undefined
}

/** Percentiles of one line; undefined if there are none. */
function percentilesOf(
  line: UsageMember,
  percentiles: UsagePercentiles | null,
): PercentileLine | undefined {
  if (isTotal(line)) return totalOf(percentiles)
  return percentiles?.kind === 'offered' ? percentiles.byMember.get(line.id) : undefined
}

function breakdownWithValues(
  { breakdown, percentiles, span }: Pick<UsageSeries, 'breakdown' | 'percentiles' | 'span'>,
  context: SeriesContext,
): StatsSeries['breakdown'] {
  const { query, words } = context
  const { metric, listed, second } = query
  const minutes = minutesIn(query, span)
  const { items, other, ...rest } = usageBreakdownView(breakdown, words, minutes, {
    listed,
    second,
  })
  const ofRow = (row: UsageRow) =>
    percentiles?.kind === 'offered' ? percentiles.byMember.get(row.id)?.whole : null
  return {
    ...rest,
    items: breakdown.rows.flatMap((row, index) => {
      const item = items[index]
      return item === undefined
        ? []
        : [{ ...item, ...valueIn(metric, row, ofRow(row)), ...costView(row, context, span) }]
    }),
    other: {
      ...other,
      ...valueIn(
        metric,
        breakdown.other,
        percentiles?.kind === 'offered' ? percentiles.other : null,
      ),
      ...costView(breakdown.other, context, span),
    },
  }
}

/** Percentiles are of the chart's own members alone. */
function facetsView(
  { facets, span }: UsageSeries,
  { query: { second: _, ...query }, words }: SeriesContext,
): NonNullable<StatsSeries['facets']> {
  return facets.map((breakdown) =>
    breakdownWithValues({ breakdown, span, percentiles: null }, { query, words }),
  )
}

function seriesOptions(
  { usage: { ranges, groups, metrics, modes } }: Catalogue,
  isPriced: boolean,
): StatsSeries['options'] {
  const offered = usageMetrics.filter((id) => id !== 'cost' || isPriced)
  return {
    range: usageRangeIds.map((id) => ({
      id,
      label: ranges[id],
      seconds: id === 'all' ? null : fixedRanges[id].seconds,
      bucketSeconds: id === 'all' ? null : fixedRanges[id].bucketSeconds,
    })),
    bucket: [...usageBucketIds],
    metric: offered.map((id) => ({ id, label: metrics[id] })),
    group: usageGroups.map((id) => ({ id, label: groups[id], sensitive: id === 'api' })),
    mode: usageModes.map((id) => ({ id, label: modes[id] })),
    smooth: [true, false],
    compare: [false, true],
    top: { min: SERIES_TOP_MIN, max: SERIES_TOP_MAX },
    format: ['json', 'csv'],
  }
}

function previousView(
  { totals, lines, previous, percentiles }: UsageSeries,
  context: SeriesContext,
): StatsSeries['previous'] {
  if (previous === null) return null
  const { query, words } = context
  const { span, totalBuckets, bucketsById } = previous
  const before = totalOf(previous.percentiles)?.whole ?? null
  const lineOf = (member: UsageMember, buckets: UsageLine['buckets']) =>
    lineView({ ...member, ...sumOfUsage(buckets), buckets }, previous, context)
  return {
    start: instantToIso(span.from),
    end: instantToIso(span.end),
    totals: {
      ...measuresView(previous.totals, minutesIn(query, span), words),
      ...valueIn(query.metric, previous.totals, before),
      ...costView(previous.totals, context, span),
    },
    changePercent: changePercentOf(
      metricOf(query.metric, totals) ?? totalOf(percentiles)?.whole ?? null,
      metricOf(query.metric, previous.totals) ?? before,
      previous,
    ),
    total: lineOf(totalMember, totalBuckets),
    series: lines.map(({ id, label, members }) =>
      lineOf(
        members === undefined ? { id, label } : { id, label, members },
        bucketsById.get(id) ?? [],
      ),
    ),
  }
}

function coverageView(coverage: UsageCoverage | null): StatsSeries['coverage'] {
  if (coverage === null) return { since: null, percent: null, missedSeconds: 0, gaps: [] }
  const { since, percent, gaps } = coverage
  const missed = gaps.filter(({ reason }) => reason === 'missed')
  return {
    since: since === null ? null : instantToIso(since),
    percent: percent === null ? null : Math.floor(percent * 100) / 100,
    missedSeconds: Math.round(missed.reduce((sum, { from, to }) => sum + to - from, 0) / 1000),
    gaps: gaps.map(({ from, to, reason }) => ({
      start: instantToIso(from),
      end: instantToIso(to),
      reason,
    })),
  }
}

function lineView(
  line: UsageLine,
  { span, coverage, percentiles }: Pick<UsageSeries, 'span' | 'coverage' | 'percentiles'>,
  context: SeriesContext,
): StatsSeries['series'][number] {
  const { query, words } = context
  const { metric, mode, smooth, group, second, listed } = query
  const parts = line.buckets.map((_, index) => bucketOf(span, index))
  const minutes = parts.map(({ from, to }) => (to - from) / 60_000)
  const means = <Value extends number | null>(values: readonly Value[], decimals = 1) => [
    ...smoothed(
      values.map((value, index) =>
        mode === 'rate' && value !== null ? perMinute(value, minutes[index] ?? 0) : value,
      ) as readonly Value[],
      decimals,
    ),
  ]
  const times = percentilesOf(line, percentiles)
  const unknown = parts.map(
    (part, index) => line.buckets[index]?.requests === 0 && isUncovered(coverage, part),
  )
  const values = line.buckets.map((bucket, index) =>
    unknown[index] ? null : (countedValue(metric, bucket) ?? times?.buckets[index] ?? null),
  )
  const hasValue = !OWN_PROPERTY.has(metric)
  const { kind, unit } = metricRow(metric)
  const starts = bucketStartsOf(span)
  return {
    ...rowView(withName(line, words), minutesIn({ mode }, span), words),
    ...providerIn(group, line, listed),
    ...membersIn(line, group, second),
    ...valueIn(metric, line, times?.whole),
    ...costView(line, context, span),
    ...(smooth
      ? {
          smoothTokens: means(line.buckets.map(({ tokens }) => tokens)),
          smoothRequests: means(line.buckets.map(({ requests }) => requests)),
          smoothFailed: means(line.buckets.map(({ failed }) => failed)),
          ...(hasValue && kind === 'count'
            ? { smoothValue: means(values, unit === 'usd' ? USD_DECIMALS : 1) }
            : {}),
        }
      : {}),
    points: line.buckets.map((bucket, index) => ({
      t: instantToIso(starts[index] ?? span.start),
      requests: bucket.requests,
      tokens: bucket.tokens,
      failed: bucket.failed,
      ...(hasValue ? { value: values[index] ?? null } : {}),
      ...(metric === 'cost'
        ? {
            valueText: usdValueText(
              values[index] ?? null,
              mode === 'rate' ? (minutes[index] ?? 0) : null,
              words,
            ),
            unpricedTokens: costIn(bucket).unpricedTokens,
          }
        : {}),
      ...(mode === 'rate'
        ? rateTexts(bucket, minutes[index] ?? 0, words)
        : totalTexts(bucket, words)),
      ...(unknown[index] ? { unknown: true as const } : {}),
    })),
  }
}

/** Dollars are told to the nano-dollar. */
const USD_DECIMALS = 9

/** Cost of counts at list prices, for metric `cost` alone. With mode `rate`, the text is an average per minute. */
function costView(
  counts: UsageCounts,
  { query, words }: SeriesContext,
  span: UsageSpan | null,
): Pick<StatsSeries['totals'], 'valueText' | 'cost'> {
  if (query.metric !== 'cost') return {}
  const usd = metricOf('cost', counts)
  return {
    valueText: usdValueText(usd, minutesIn(query, span), words),
    cost: statedCost(costIn(counts), counts.tokens),
  }
}

function usdValueText(usd: number | null, minutes: number | null, { usage }: Catalogue): string {
  if (usd === null) return NO_USD
  return minutes === null ? usdText(usd) : usage.perMinute(usdText(perMinute(usd, minutes)))
}

/** Translates the name of the line for all usage; other lines keep their label. */
function withName<Line extends UsageMember>(line: Line, { usage }: Catalogue): Line {
  return isTotal(line) ? { ...line, label: usage.groups.total } : line
}

function isTotal({ id, label }: UsageMember): boolean {
  return id === totalMember.id && label === totalMember.label
}

/** Minutes by which the texts of the span are divided in mode `rate`; null for totals. */
function minutesIn({ mode }: Pick<SeriesQuery, 'mode'>, span: UsageSpan | null): number | null {
  return mode === 'rate' ? ((span?.end ?? 0) - (span?.from ?? 0)) / 60_000 : null
}

/** Usage by member, as numbers and texts. With `minutes`, the texts are averages per minute. */
export function usageBreakdownView(
  { group, rows, otherCount, other }: UsageBreakdown,
  words: Catalogue,
  minutes: number | null = null,
  {
    listed,
    second,
  }: {
    readonly listed?: UsageQuestion['listed'] | undefined
    readonly second?: UsageDimension | undefined
  } = {},
): StatsSeries['breakdown'] {
  const title = words.usage.by(group)
  return {
    group: groupText({ group, second }),
    title: second === undefined ? title : `${title} · ${words.usage.groups[second]}`,
    items: rows.map((row) => ({
      ...rowView(row, minutes, words),
      ...providerIn(group, row, listed),
      ...membersIn(row, group, second),
    })),
    otherCount,
    other: measuresView(other, minutes, words),
  }
}

/** The provider of an account; empty for other members and accounts no longer listed. */
function providerIn(
  group: UsageGroup,
  { id, label }: UsageMember,
  listed: UsageQuestion['listed'],
): { readonly provider?: ProviderId } {
  if (group !== 'account' || isTotal({ id, label })) return {}
  const provider = providerOfAccount(id, listed)
  return provider === undefined || provider === 'unknown' ? {} : { provider }
}

/** The members of a pair, with their groups; empty for a member of one group. */
function membersIn(
  { members }: UsageMember,
  group: UsageGroup,
  second: UsageDimension | undefined,
): Pick<StatsSeries['series'][number], 'members'> {
  if (members === undefined || second === undefined) return {}
  return {
    members: members.map(({ id, label }, index) => ({
      group: index === 0 ? group : second,
      id: harmlessId(id),
      label,
    })),
  }
}

function rowView({ id, label, ...used }: UsageRow, minutes: number | null, words: Catalogue) {
  return { id: harmlessId(id), label, ...measuresView(used, minutes, words) }
}

function measuresView(
  { requests, tokens, failed }: Pick<UsageRow, 'requests' | 'tokens' | 'failed'>,
  minutes: number | null,
  words: Catalogue,
): StatsSeries['totals'] {
  const measures = { requests, tokens, failed }
  return {
    ...measures,
    ...(minutes === null ? totalTexts(measures, words) : rateTexts(measures, minutes, words)),
    failing: isFailing(measures),
  }
}

/** Parameters of a filter. Ids with commas are repeated, because a single list is split at commas. */
function filterPath(filter: UsageFilter = {}): string {
  return Object.entries(filter)
    .flatMap(([name, values]) => {
      const ids = (typeof values === 'string' ? [values] : values).map(harmlessId)
      const isPlain = !ids.some((id: string) => id.includes(','))
      const lists = isPlain ? [ids.map(encodeURIComponent).join()] : ids.map(encodeURIComponent)
      const all = lists.length === 1 && !isPlain ? [...lists, ...lists] : lists
      return all.map((list: string) => `&${name}=${list}`)
    })
    .join('')
}

function pathOf(query: SeriesQuery, format: 'json' | 'csv'): string {
  const { range, bucket, metric, top, smooth, mode, between } = query
  // Every other value comes from a closed set that needs no escaping.
  const of = filterPath(query.filter)
  const time =
    between === undefined
      ? `range=${range}`
      : `from=${instantToIso(between.from)}&to=${instantToIso(between.to)}`
  const width = bucket === 'auto' ? '' : `&bucket=${bucket}`
  const compared = query.compare ? '&compare=true' : ''
  return `/api/v1/stats/series?${time}${width}&metric=${metric}&group=${groupText(query)}&top=${top}&smooth=${smooth}&mode=${mode}${compared}${of}&format=${format}`
}
