import { type EpochMs, epochMs, instantToIso, plusMs } from '@svc/core'
import {
  bucketMinutesOf,
  bucketStartsOf,
  fixedRanges,
  isUncovered,
  smoothed,
  totalMember,
  type UsageBreakdown,
  type UsageCoverage,
  type UsageLine,
  type UsageMetric,
  type UsageMode,
  type UsageQuery,
  type UsageRow,
  type UsageSeries,
  type UsageSpan,
  usageGroups,
  usageMetrics,
  usageModes,
  usageRangeIds,
} from '@svc/core/usage'
import * as v from 'valibot'
import {
  noUsage,
  perMinute,
  RANGE_LABELS,
  rateTexts,
  totalTexts,
  usageLine,
} from '../messages/usage-text.ts'
import { harmlessId } from './formula.ts'
import { countSchema, instantSchema } from './wire-schema.ts'

/** Everything that decides what a chart shows. */
export interface SeriesQuery extends UsageQuery {
  readonly smooth: boolean
  readonly mode: UsageMode
}

/** What a chart shows when nothing is asked for. */
export const seriesDefaults: SeriesQuery = {
  range: '24h',
  metric: 'tokens',
  group: 'total',
  top: 8,
  smooth: true,
  mode: 'bucket',
}
/** Fewest series a chart can be asked for. */
export const SERIES_TOP_MIN = 1
/** Most series a chart can be asked for. */
export const SERIES_TOP_MAX = 20

export const GROUP_LABELS = {
  total: 'Total',
  account: 'Account',
  client: 'Client',
  model: 'Model',
  api: 'API name',
} as const

const measures = { requests: countSchema, tokens: countSchema, failed: countSchema }
const texts = { requestText: v.string(), tokenText: v.string(), failureRateText: v.string() }
const optionalTexts = {
  requestText: v.optional(v.string()),
  tokenText: v.optional(v.string()),
  failureRateText: v.optional(v.string()),
}
const rangeIdSchema = v.picklist(usageRangeIds)
const smoothSchema = v.optional(
  v.pipe(
    v.array(v.number()),
    v.description('Centred mean of five points; left out when smoothing is off.'),
  ),
)

export const statsSeriesPointSchema = v.pipe(
  v.object({
    t: v.pipe(instantSchema, v.description('Start of the bucket.')),
    ...measures,
    ...texts,
    unknown: v.optional(
      v.pipe(
        v.literal(true),
        v.description('The whole bucket lies in gaps and has no usage: its zeros say nothing.'),
      ),
    ),
  }),
  v.description(
    'One bucket. The numbers are totals of the bucket in both modes; the last bucket is still running.',
  ),
)

export const statsSeriesLineSchema = v.pipe(
  v.object({
    id: v.string(),
    label: v.string(),
    ...measures,
    ...optionalTexts,
    smoothTokens: smoothSchema,
    smoothRequests: smoothSchema,
    smoothFailed: smoothSchema,
    points: v.array(statsSeriesPointSchema),
  }),
  v.description('One member of the group over the range.'),
)

const rowSchema = v.object({ id: v.string(), label: v.string(), ...measures, ...texts })
const querySchema = v.object({
  range: rangeIdSchema,
  metric: v.picklist(usageMetrics),
  group: v.picklist(usageGroups),
  top: v.pipe(v.number(), v.integer(), v.minValue(SERIES_TOP_MIN), v.maxValue(SERIES_TOP_MAX)),
  smooth: v.boolean(),
  mode: v.picklist(usageModes),
})
const coverageSchema = v.pipe(
  v.object({
    since: v.pipe(
      v.nullable(instantSchema),
      v.description('Since when usage is kept; null where nothing is kept yet.'),
    ),
    percent: v.pipe(
      v.nullable(v.number()),
      v.description(
        'Part of the range since then in which nothing was missed, 0..100, rounded down to two decimals; null where usage was kept at no time of it.',
      ),
    ),
    missedSeconds: v.pipe(countSchema, v.description('Length of all gaps with reason `missed`.')),
    gaps: v.pipe(
      v.array(
        v.object({
          start: instantSchema,
          end: instantSchema,
          reason: v.picklist(['before-history', 'missed']),
        }),
      ),
      v.description('Stretches of which usage is not known for certain, oldest first.'),
    ),
  }),
  v.description('What is known of the time that is shown.'),
)
const optionSchema = v.object({ id: v.string(), label: v.string() })

export const usageBreakdownSchema = v.pipe(
  v.object({
    group: v.picklist(usageGroups),
    title: v.string(),
    items: v.pipe(v.array(rowSchema), v.description('Highest usage first.')),
    otherCount: v.pipe(countSchema, v.description('Members that are not among the items.')),
    other: v.pipe(v.object({ ...measures, ...texts }), v.description('What these used together.')),
  }),
  v.description('Who the usage is of.'),
)

/** Answer of `/api/v1/stats/series`. */
export const statsSeriesSchema = v.pipe(
  v.object({
    title: v.string(),
    summary: v.string(),
    defaults: v.pipe(querySchema, v.description('What is shown when nothing is asked for.')),
    options: v.pipe(
      v.object({
        range: v.array(
          v.object({
            id: rangeIdSchema,
            label: v.string(),
            seconds: v.nullable(countSchema),
            bucketSeconds: v.pipe(
              v.nullable(countSchema),
              v.description('Null where the buckets grow with the history.'),
            ),
          }),
        ),
        metric: v.array(optionSchema),
        group: v.array(
          v.object({
            id: v.string(),
            label: v.string(),
            sensitive: v.pipe(v.boolean(), v.description('Shows client keys.')),
          }),
        ),
        mode: v.array(optionSchema),
        smooth: v.array(v.boolean()),
        top: v.object({ min: countSchema, max: countSchema }),
        format: v.array(v.string()),
      }),
      v.description('What each parameter takes.'),
    ),
    query: v.pipe(querySchema, v.description('The view that is shown.')),
    warnings: v.optional(
      v.pipe(v.array(v.string()), v.description('Parameters that were not taken as given.')),
    ),
    available: v.boolean(),
    bucketSeconds: countSchema,
    range: v.object({
      id: rangeIdSchema,
      label: v.string(),
      seconds: v.nullable(countSchema),
      start: v.nullable(instantSchema),
      end: v.nullable(instantSchema),
      earliest: v.pipe(v.nullable(instantSchema), v.description('Oldest usage there is.')),
    }),
    totals: v.pipe(
      v.object({ ...measures, ...texts }),
      v.description('Of everything in the range, shown or not.'),
    ),
    coverage: coverageSchema,
    total: v.pipe(
      v.nullable(statsSeriesLineSchema),
      v.description(
        'Everything in the range as one line, whatever the group; null without a history.',
      ),
    ),
    series: v.pipe(v.array(statsSeriesLineSchema), v.description('Highest usage first.')),
    breakdown: usageBreakdownSchema,
    export: v.pipe(
      v.object({ jsonPath: v.string(), csvPath: v.string() }),
      v.description('Path and query of this view.'),
    ),
  }),
  v.description('Usage over time, from deduplicated timestamped usage details.'),
)

/** Answer of `/api/v1/stats/series`. */
export type StatsSeries = v.InferOutput<typeof statsSeriesSchema>

/** The answer of `/api/v1/stats/series`. `usage` is null where there is no history. */
export function statsSeriesView(
  usage: UsageSeries | null,
  query: SeriesQuery,
  { now, warnings }: { readonly now: EpochMs; readonly warnings: readonly string[] },
): StatsSeries {
  const { range, metric, group, top, smooth, mode } = query
  const available = usage !== null && usage.earliest !== null
  const span = available ? usage.span : null
  return {
    title: 'Usage',
    summary: available ? usageLine(usage.totals, range) : NO_HISTORY,
    defaults: { ...seriesDefaults },
    options: seriesOptions,
    query: { range, metric, group, top, smooth, mode },
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    available,
    bucketSeconds: span?.bucketSeconds ?? (range === 'all' ? 0 : fixedRanges[range].bucketSeconds),
    range: {
      id: range,
      label: RANGE_LABELS[range],
      seconds: range === 'all' ? null : fixedRanges[range].seconds,
      start: span === null ? null : instantToIso(span.start),
      end: span === null ? null : instantToIso(now),
      earliest: available && usage.earliest !== null ? instantToIso(usage.earliest) : null,
    },
    totals: measuresView(available ? usage.totals : noUsage, minutesIn(query, span)),
    coverage: coverageView(available ? usage.coverage : null),
    total: available
      ? lineView({ ...totalMember, ...usage.totals, buckets: usage.totalBuckets }, usage, query)
      : null,
    series: available ? usage.lines.map((line) => lineView(line, usage, query)) : [],
    breakdown: usageBreakdownView(
      available
        ? usage.breakdown
        : { group: group === 'total' ? 'account' : group, rows: [], otherCount: 0, other: noUsage },
      minutesIn(query, span),
    ),
    export: { jsonPath: pathOf(query, 'json'), csvPath: pathOf(query, 'csv') },
  }
}

const NO_HISTORY = 'No usage history'

const seriesOptions: StatsSeries['options'] = {
  range: usageRangeIds.map((id) => ({
    id,
    label: RANGE_LABELS[id],
    seconds: id === 'all' ? null : fixedRanges[id].seconds,
    bucketSeconds: id === 'all' ? null : fixedRanges[id].bucketSeconds,
  })),
  metric: [
    { id: 'tokens', label: 'Tokens' },
    { id: 'requests', label: 'Requests' },
    { id: 'failed', label: 'Failed requests' },
  ],
  group: usageGroups.map((id) => ({ id, label: GROUP_LABELS[id], sensitive: id === 'api' })),
  mode: [
    { id: 'bucket', label: 'Per bucket' },
    { id: 'rate', label: 'Per minute' },
  ],
  smooth: [true, false],
  top: { min: SERIES_TOP_MIN, max: SERIES_TOP_MAX },
  format: ['json', 'csv'],
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
  { span, coverage }: Pick<UsageSeries, 'span' | 'coverage'>,
  { mode, smooth }: SeriesQuery,
): StatsSeries['series'][number] {
  const minutes = line.buckets.map((_, index) => bucketMinutesOf(span, index))
  const shown = (metric: UsageMetric) =>
    line.buckets.map((bucket, index) =>
      mode === 'rate' ? perMinute(bucket[metric], minutes[index] ?? 0) : bucket[metric],
    )
  const starts = bucketStartsOf(span)
  return {
    ...rowView(line, minutesIn({ mode }, span)),
    ...(smooth
      ? {
          smoothTokens: [...smoothed(shown('tokens'))],
          smoothRequests: [...smoothed(shown('requests'))],
          smoothFailed: [...smoothed(shown('failed'))],
        }
      : {}),
    points: line.buckets.map((bucket, index) => ({
      t: instantToIso(starts[index] ?? span.start),
      requests: bucket.requests,
      tokens: bucket.tokens,
      failed: bucket.failed,
      ...(mode === 'rate' ? rateTexts(bucket, minutes[index] ?? 0) : totalTexts(bucket)),
      ...(bucket.requests === 0 && isUncovered(coverage, bucketOf(span, index))
        ? { unknown: true as const }
        : {}),
    })),
  }
}

/** From when to when a bucket runs; the last one is over now. */
function bucketOf({ start, end, bucketSeconds }: UsageSpan, index: number) {
  const from = plusMs(start, index * bucketSeconds * 1000)
  return { from, to: epochMs(Math.min(end, from + bucketSeconds * 1000)) }
}

/** The minutes of a span by which its texts are divided; null where they are of the whole. */
function minutesIn({ mode }: Pick<SeriesQuery, 'mode'>, span: UsageSpan | null): number | null {
  return mode === 'rate' ? ((span?.end ?? 0) - (span?.start ?? 0)) / 60_000 : null
}

/** Who the usage is of, numbers and texts; the texts are by the minute where `minutes` says of how many. */
export function usageBreakdownView(
  { group, rows, otherCount, other }: UsageBreakdown,
  minutes: number | null = null,
): StatsSeries['breakdown'] {
  return {
    group,
    title: `By ${GROUP_LABELS[group].replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`,
    items: rows.map((row) => rowView(row, minutes)),
    otherCount,
    other: measuresView(other, minutes),
  }
}

function rowView({ id, label, ...used }: UsageRow, minutes: number | null) {
  return { id: harmlessId(id), label, ...measuresView(used, minutes) }
}

function measuresView(
  { requests, tokens, failed }: Pick<UsageRow, 'requests' | 'tokens' | 'failed'>,
  minutes: number | null,
): StatsSeries['totals'] {
  const measures = { requests, tokens, failed }
  return {
    ...measures,
    ...(minutes === null ? totalTexts(measures) : rateTexts(measures, minutes)),
  }
}

function pathOf(
  { range, metric, group, top, smooth, mode }: SeriesQuery,
  format: 'json' | 'csv',
): string {
  // Every value comes from a closed set that needs no escaping.
  return `/api/v1/stats/series?range=${range}&metric=${metric}&group=${group}&top=${top}&smooth=${smooth}&mode=${mode}&format=${format}`
}
