import {
  metricUnits,
  percentileRefusals,
  usageBucketIds,
  usageGroups,
  usageMetrics,
  usageModes,
  usageRangeIds,
} from '@svc/core/usage'
import * as v from 'valibot'
import { countSchema, described, instantSchema } from './wire-schema.ts'

/** Fewest series a request can ask for. */
export const SERIES_TOP_MIN = 1
/** Most series a request can ask for. */
export const SERIES_TOP_MAX = 20

const providerSchema = v.optional(
  described(
    v.string(),
    'Provider of an account. Left out for other members, and for an account that is no longer listed.',
  ),
)
const measures = { requests: countSchema, tokens: countSchema, failed: countSchema }
const valueSchema = v.optional(
  described(
    v.nullable(v.number()),
    'Of the metric, where it is not `tokens`, `requests` or `failed`, which have properties of their own; null where it is unknown.',
  ),
)
const texts = { requestText: v.string(), tokenText: v.string(), failureRateText: v.string() }
const failingSchema = described(v.boolean(), 'So many requests failed that somebody should look.')
const optionalTexts = {
  requestText: v.optional(v.string()),
  tokenText: v.optional(v.string()),
  failureRateText: v.optional(v.string()),
}
const rangeIdSchema = v.picklist(usageRangeIds)
const bucketIdSchema = v.picklist(usageBucketIds)
const smoothSchema = v.optional(
  described(v.array(v.number()), 'Centred mean of five points; left out when smoothing is off.'),
)

export const statsSeriesPointSchema = described(
  v.object({
    t: described(instantSchema, 'Start of the bucket.'),
    ...measures,
    value: valueSchema,
    ...texts,
    unknown: v.optional(
      described(
        v.literal(true),
        'The whole bucket lies in gaps and has no usage: its zeros say nothing.',
      ),
    ),
  }),
  'One bucket. The numbers are totals of the bucket in both modes; the last bucket is still running.',
)

export const statsSeriesLineSchema = described(
  v.object({
    id: v.string(),
    label: v.string(),
    provider: providerSchema,
    ...measures,
    value: valueSchema,
    ...optionalTexts,
    failing: v.optional(failingSchema),
    smoothTokens: smoothSchema,
    smoothRequests: smoothSchema,
    smoothFailed: smoothSchema,
    smoothValue: v.optional(
      described(
        v.array(v.nullable(v.number())),
        'The same of `value`, of what is known; left out for percentages and times, of which a mean says nothing.',
      ),
    ),
    points: v.array(statsSeriesPointSchema),
  }),
  'One member of the group over the range.',
)

const rowSchema = v.object({
  id: v.string(),
  label: v.string(),
  provider: providerSchema,
  ...measures,
  value: valueSchema,
  ...texts,
  failing: failingSchema,
})
const querySchema = v.object({
  range: rangeIdSchema,
  bucket: bucketIdSchema,
  metric: v.picklist(usageMetrics),
  group: v.picklist(usageGroups),
  top: v.pipe(v.number(), v.integer(), v.minValue(SERIES_TOP_MIN), v.maxValue(SERIES_TOP_MAX)),
  smooth: v.boolean(),
  compare: v.boolean(),
  mode: v.picklist(usageModes),
})
const coverageSchema = described(
  v.object({
    since: described(
      v.nullable(instantSchema),
      'Since when usage is kept; null where nothing is kept yet.',
    ),
    percent: described(
      v.nullable(v.number()),
      'Part of the range since then in which nothing was missed, 0..100, rounded down to two decimals; null where usage was kept at no time of it.',
    ),
    missedSeconds: described(countSchema, 'Length of all gaps with reason `missed`.'),
    gaps: described(
      v.array(
        v.object({
          start: instantSchema,
          end: instantSchema,
          reason: v.picklist(['before-history', 'missed']),
        }),
      ),
      'Stretches of which usage is not known for certain, oldest first.',
    ),
  }),
  'What is known of the time that is shown.',
)
const optionSchema = v.object({ id: v.string(), label: v.string() })

export const usageBreakdownSchema = described(
  v.object({
    group: v.picklist(usageGroups),
    title: v.string(),
    items: described(v.array(rowSchema), 'Highest usage first.'),
    otherCount: described(countSchema, 'Members that are not among the items.'),
    other: described(
      v.object({ ...measures, value: valueSchema, ...texts, failing: failingSchema }),
      'What these used together.',
    ),
  }),
  'Who the usage is of.',
)

/** Answer of `/api/v1/stats/series`. */
export const statsSeriesSchema = described(
  v.object({
    title: v.string(),
    summary: v.string(),
    defaults: described(querySchema, 'What is shown when nothing is asked for.'),
    options: described(
      v.object({
        range: v.array(
          v.object({
            id: rangeIdSchema,
            label: v.string(),
            seconds: v.nullable(countSchema),
            bucketSeconds: described(
              v.nullable(countSchema),
              'Null where the buckets grow with the history.',
            ),
          }),
        ),
        bucket: described(
          v.array(bucketIdSchema),
          'Widths of buckets: `auto` is the range’s own. Of others it takes those that are no finer and make four at least; a week also `1h`, of group `total`.',
        ),
        metric: v.array(optionSchema),
        group: v.array(
          v.object({
            id: v.string(),
            label: v.string(),
            sensitive: described(v.boolean(), 'Shows client keys.'),
          }),
        ),
        mode: v.array(optionSchema),
        smooth: v.array(v.boolean()),
        compare: v.array(v.boolean()),
        top: v.object({ min: countSchema, max: countSchema }),
        format: v.array(v.string()),
      }),
      'What each parameter takes.',
    ),
    query: described(querySchema, 'The view that is shown.'),
    warnings: v.optional(
      described(v.array(v.string()), 'Parameters that were not taken as given.'),
    ),
    available: v.boolean(),
    bucketSeconds: countSchema,
    range: v.object({
      id: rangeIdSchema,
      label: v.string(),
      seconds: v.nullable(countSchema),
      start: v.nullable(instantSchema),
      end: v.nullable(instantSchema),
      earliest: described(v.nullable(instantSchema), 'Oldest usage there is.'),
    }),
    valueUnit: v.optional(
      described(v.picklist(metricUnits), 'Unit of `value`; left out where it is.'),
    ),
    notOffered: v.optional(
      described(
        v.picklist(percentileRefusals),
        'Why the answer has no percentiles: rows of the range are deleted, or it has more requests than are read for a chart. Left out where it has.',
      ),
    ),
    totals: described(
      v.object({ ...measures, value: valueSchema, ...texts, failing: failingSchema }),
      'Of everything in the range, shown or not.',
    ),
    coverage: coverageSchema,
    total: described(
      v.nullable(statsSeriesLineSchema),
      'Everything in the range as one line, whatever the group; null without a history.',
    ),
    series: described(v.array(statsSeriesLineSchema), 'Highest usage first.'),
    previous: described(
      v.nullable(
        v.object({
          start: instantSchema,
          end: instantSchema,
          totals: v.object({ ...measures, value: valueSchema, ...texts, failing: failingSchema }),
          changePercent: described(
            v.nullable(v.number()),
            'How much more of the metric was used than then, in whole percent; null where usage was not kept all that time, or there was none.',
          ),
          total: statsSeriesLineSchema,
          series: described(v.array(statsSeriesLineSchema), 'The same members.'),
        }),
      ),
      'The same length of time right before; null unless asked for, and for ranges beyond 7 days.',
    ),
    breakdown: usageBreakdownSchema,
    export: described(
      v.object({ jsonPath: v.string(), csvPath: v.string() }),
      'Path and query of this view.',
    ),
  }),
  'Usage over time, from deduplicated timestamped usage details.',
)

/** Answer of `/api/v1/stats/series`. */
export type StatsSeries = v.InferOutput<typeof statsSeriesSchema>
