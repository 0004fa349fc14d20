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
import { countSchema, instantSchema } from './wire-schema.ts'

/** Fewest series a request can ask for. */
export const SERIES_TOP_MIN = 1
/** Most series a request can ask for. */
export const SERIES_TOP_MAX = 20

const measures = { requests: countSchema, tokens: countSchema, failed: countSchema }
const valueSchema = v.optional(
  v.pipe(
    v.nullable(v.number()),
    v.description(
      'Of the metric, where it is not `tokens`, `requests` or `failed`, which have properties of their own; null where it is unknown.',
    ),
  ),
)
const texts = { requestText: v.string(), tokenText: v.string(), failureRateText: v.string() }
const failingSchema = v.pipe(
  v.boolean(),
  v.description('So many requests failed that somebody should look.'),
)
const optionalTexts = {
  requestText: v.optional(v.string()),
  tokenText: v.optional(v.string()),
  failureRateText: v.optional(v.string()),
}
const rangeIdSchema = v.picklist(usageRangeIds)
const bucketIdSchema = v.picklist(usageBucketIds)
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
    value: valueSchema,
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
    value: valueSchema,
    ...optionalTexts,
    failing: v.optional(failingSchema),
    smoothTokens: smoothSchema,
    smoothRequests: smoothSchema,
    smoothFailed: smoothSchema,
    smoothValue: v.optional(
      v.pipe(
        v.array(v.nullable(v.number())),
        v.description(
          'The same of `value`, of what is known; left out for percentages and times, of which a mean says nothing.',
        ),
      ),
    ),
    points: v.array(statsSeriesPointSchema),
  }),
  v.description('One member of the group over the range.'),
)

const rowSchema = v.object({
  id: v.string(),
  label: v.string(),
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
    other: v.pipe(
      v.object({ ...measures, value: valueSchema, ...texts, failing: failingSchema }),
      v.description('What these used together.'),
    ),
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
        bucket: v.pipe(
          v.array(bucketIdSchema),
          v.description(
            'Widths of buckets: `auto` is the range’s own. Of others it takes those that are no finer and make four at least; a week also `1h`, of group `total`.',
          ),
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
        compare: v.array(v.boolean()),
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
    valueUnit: v.optional(
      v.pipe(v.picklist(metricUnits), v.description('Unit of `value`; left out where it is.')),
    ),
    notOffered: v.optional(
      v.pipe(
        v.picklist(percentileRefusals),
        v.description(
          'Why the answer has no percentiles: rows of the range are deleted, or it has more requests than are read for a chart. Left out where it has.',
        ),
      ),
    ),
    totals: v.pipe(
      v.object({ ...measures, value: valueSchema, ...texts, failing: failingSchema }),
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
    previous: v.pipe(
      v.nullable(
        v.object({
          start: instantSchema,
          end: instantSchema,
          totals: v.object({ ...measures, value: valueSchema, ...texts, failing: failingSchema }),
          changePercent: v.pipe(
            v.nullable(v.number()),
            v.description(
              'How much more of the metric was used than then, in whole percent; null where usage was not kept all that time, or there was none.',
            ),
          ),
          total: statsSeriesLineSchema,
          series: v.pipe(v.array(statsSeriesLineSchema), v.description('The same members.')),
        }),
      ),
      v.description(
        'The same length of time right before; null unless asked for, and for ranges beyond 7 days.',
      ),
    ),
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
