import {
  failureStatuses,
  metricUnits,
  rowsRefusals,
  usageBucketIds,
  usageDimensions,
  usageGroups,
  usageMetrics,
  usageModes,
  usageRangeIds,
  usageResults,
} from '@svc/core/usage'
import * as v from 'valibot'
import { costSchema, priceSourceSchema } from './cost.ts'
import { countSchema, described, instantSchema, optional } from './wire-schema.ts'

/** Minimum number of series in a request. */
export const SERIES_TOP_MIN = 1
/** Maximum number of series in a request. */
export const SERIES_TOP_MAX = 20

const providerSchema = optional(
  v.string(),
  'Provider of the account; omitted for other groups, and for an account that is no longer listed.',
)
const measures = { requests: countSchema, tokens: countSchema, failed: countSchema }
const valueSchema = optional(
  v.nullable(v.number()),
  'Value of the metric; null if unknown. Omitted for `tokens`, `requests` and `failed`, which have fields of their own.',
)
const valueTextSchema = optional(
  v.string(),
  '`value` as text, in mode `rate` per minute; omitted unless the metric is `cost`.',
)
const valued = { value: valueSchema, valueText: valueTextSchema, cost: v.optional(costSchema) }
const texts = { requestText: v.string(), tokenText: v.string(), failureRateText: v.string() }
const failingSchema = described(
  v.boolean(),
  'True if the share of failed requests needs attention.',
)
const optionalTexts = {
  requestText: v.optional(v.string()),
  tokenText: v.optional(v.string()),
  failureRateText: v.optional(v.string()),
}
const rangeIdSchema = v.picklist(usageRangeIds)
export const spanIdSchema = v.picklist([...usageRangeIds, 'custom'])
const pairs = usageDimensions.flatMap((one) =>
  usageDimensions.flatMap((other) => (one === other ? [] : [`${one},${other}` as const])),
)
const groupSchema = v.picklist([...usageGroups, ...pairs])
const membersSchema = optional(
  v.array(v.object({ group: v.picklist(usageGroups), id: v.string(), label: v.string() })),
  'The two members that the line combines when usage is split by two groups; omitted for one group.',
)
const bucketIdSchema = v.picklist(usageBucketIds)
const smoothSchema = optional(
  v.array(v.number()),
  'Centred mean of five points; omitted if smoothing is off.',
)

export const statsSeriesPointSchema = described(
  v.object({
    t: described(
      instantSchema,
      'Start of the bucket. The first bucket may begin before the range; usage before the range is not counted.',
    ),
    ...measures,
    value: valueSchema,
    valueText: valueTextSchema,
    unpricedTokens: optional(
      countSchema,
      'Tokens without a price; omitted unless the metric is `cost`.',
    ),
    ...texts,
    unknown: optional(
      v.literal(true),
      'True if the whole bucket lies in gaps and has no usage, so that its zeros are unknown values.',
    ),
  }),
  'One bucket. Numbers are totals of the bucket in both modes. The last bucket is still running.',
)

export const statsSeriesLineSchema = described(
  v.object({
    id: v.string(),
    label: v.string(),
    provider: providerSchema,
    members: membersSchema,
    ...measures,
    ...valued,
    ...optionalTexts,
    failing: v.optional(failingSchema),
    smoothTokens: smoothSchema,
    smoothRequests: smoothSchema,
    smoothFailed: smoothSchema,
    smoothValue: optional(
      v.array(v.nullable(v.number())),
      'Centred mean of five known points of `value`; omitted if smoothing is off, and for percentages and times, which have no meaningful mean.',
    ),
    points: v.array(statsSeriesPointSchema),
  }),
  'One member of the group over the range.',
)

const rowSchema = v.object({
  id: v.string(),
  label: v.string(),
  provider: providerSchema,
  members: membersSchema,
  ...measures,
  ...valued,
  ...texts,
  failing: failingSchema,
})
const querySchema = v.object({
  range: spanIdSchema,
  bucket: bucketIdSchema,
  metric: v.picklist(usageMetrics),
  group: groupSchema,
  top: v.pipe(v.number(), v.integer(), v.minValue(SERIES_TOP_MIN), v.maxValue(SERIES_TOP_MAX)),
  smooth: v.boolean(),
  compare: v.boolean(),
  mode: v.picklist(usageModes),
  provider: optional(
    v.string(),
    'Providers whose usage is counted, separated by commas; omitted for all.',
  ),
})
const ids = v.optional(v.array(v.string()))
/** Filters that were requested. */
export const filterSchema = v.object({
  account: ids,
  client: ids,
  model: ids,
  provider: ids,
  upstream: ids,
  result: v.optional(v.array(v.picklist(usageResults))),
  status: v.optional(v.array(v.picklist(failureStatuses))),
})
const appliedQuerySchema = v.object({
  ...querySchema.entries,
  from: optional(
    instantSchema,
    'Start of the period that the answer covers; omitted without a history.',
  ),
  to: optional(
    instantSchema,
    'End of the period that the answer covers, exclusive; omitted without a history.',
  ),
  filter: optional(filterSchema, 'Filters that were requested; omitted if there are none.'),
  facets: optional(
    v.array(v.picklist(usageDimensions)),
    'Further breakdowns that were requested; omitted if there are none.',
  ),
  widened: optional(
    v.boolean(),
    'True if the period was extended to whole stored sums, because the single requests at its edges are deleted. Omitted without a history.',
  ),
  coarser: optional(
    v.boolean(),
    'True if the buckets are wider than requested, because the stored data yields no narrower ones. Omitted without a history.',
  ),
  source: optional(
    v.picklist(['sums', 'rows']),
    'Whether the answer was read from stored sums or from single requests. Omitted without a history.',
  ),
})
const coverageSchema = described(
  v.object({
    since: described(
      v.nullable(instantSchema),
      'Start of the recorded usage; null if nothing is recorded yet.',
    ),
    percent: described(
      v.nullable(v.number()),
      'Percent of the range since `since` in which no usage was missed, rounded down to two decimals; null if no usage was recorded in the range.',
    ),
    missedSeconds: described(
      countSchema,
      'Total length of all gaps with reason `missed`, in seconds.',
    ),
    gaps: described(
      v.array(
        v.object({
          start: instantSchema,
          end: instantSchema,
          reason: v.picklist(['before-history', 'missed']),
        }),
      ),
      'Intervals in which usage is not known for certain, oldest first.',
    ),
  }),
  'Completeness of the usage in the range.',
)
const optionSchema = v.object({ id: v.string(), label: v.string() })

export const usageBreakdownSchema = described(
  v.object({
    group: groupSchema,
    title: v.string(),
    items: described(v.array(rowSchema), 'Members with the highest usage first.'),
    otherCount: described(
      countSchema,
      'Number of members not in `items`; under `provider`, accounts that are no longer listed count as one.',
    ),
    other: described(
      v.object({ ...measures, ...valued, ...texts, failing: failingSchema }),
      'Combined usage of the members not in `items`.',
    ),
  }),
  'Usage by member of a group.',
)

/** Answer of `/api/v1/stats/series`. */
export const statsSeriesSchema = described(
  v.object({
    title: v.string(),
    summary: v.string(),
    defaults: described(querySchema, 'Values used for omitted parameters.'),
    options: described(
      v.object({
        range: v.array(
          v.object({
            id: rangeIdSchema,
            label: v.string(),
            seconds: v.nullable(countSchema),
            bucketSeconds: described(
              v.nullable(countSchema),
              'Default width of the buckets in seconds; null if it grows with the history.',
            ),
          }),
        ),
        bucket: described(
          v.array(bucketIdSchema),
          'Supported widths of buckets. `auto` is the default width of the range. A range supports every width that is no finer than its default and yields at least four buckets; `7d` also supports `1h` for group `total`.',
        ),
        metric: v.array(optionSchema),
        group: v.array(
          v.object({
            id: v.string(),
            label: v.string(),
            sensitive: described(v.boolean(), 'True if the group shows client keys.'),
          }),
        ),
        mode: v.array(optionSchema),
        smooth: v.array(v.boolean()),
        compare: v.array(v.boolean()),
        top: v.object({ min: countSchema, max: countSchema }),
        format: v.array(v.string()),
      }),
      'Values that each parameter accepts.',
    ),
    query: described(appliedQuerySchema, 'Parameters applied to this answer.'),
    warnings: optional(
      v.array(v.string()),
      'Parameters that were ignored or replaced; omitted if there are none.',
    ),
    available: v.boolean(),
    bucketSeconds: countSchema,
    range: v.object({
      id: spanIdSchema,
      label: v.string(),
      seconds: v.nullable(countSchema),
      start: described(
        v.nullable(instantSchema),
        'Start of the counted period, the same for every bucket width: the end minus the length of the range, rounded down to a bucket of the default width. Null without a history.',
      ),
      end: v.nullable(instantSchema),
      earliest: described(
        v.nullable(instantSchema),
        'Time of the oldest recorded usage; null if there is none.',
      ),
    }),
    valueUnit: optional(
      v.picklist(metricUnits),
      'Unit of `value`; omitted if there is no `value`.',
    ),
    priceSource: optional(
      priceSourceSchema,
      'Price file that was read last; null if none was read. Omitted unless the metric is `cost`.',
    ),
    notOffered: optional(
      v.picklist(rowsRefusals),
      'Reason why there are no percentiles: rows of the range were deleted, or the range has more requests than a chart reads. Omitted otherwise.',
    ),
    totals: described(
      v.object({ ...measures, ...valued, ...texts, failing: failingSchema }),
      'Totals of the whole range, including members not shown.',
    ),
    coverage: coverageSchema,
    total: described(
      v.nullable(statsSeriesLineSchema),
      'All usage in the range as one line, whatever the `group`; null without a history.',
    ),
    series: described(v.array(statsSeriesLineSchema), 'Members with the highest usage first.'),
    previous: described(
      v.nullable(
        v.object({
          start: instantSchema,
          end: instantSchema,
          totals: v.object({ ...measures, ...valued, ...texts, failing: failingSchema }),
          changePercent: described(
            v.nullable(v.number()),
            'Change of the metric since the previous period, in whole percent; null if the previous period was not fully recorded or has no usage.',
          ),
          total: statsSeriesLineSchema,
          series: described(
            v.array(statsSeriesLineSchema),
            'Lines of `series`, for the previous period.',
          ),
        }),
      ),
      'The preceding period of the same length; null if not requested or if the range is longer than 7 days.',
    ),
    breakdown: usageBreakdownSchema,
    facets: optional(
      v.array(usageBreakdownSchema),
      'The same usage by each dimension of the parameter `facets`, at most 20 members of each. A dimension without known usage is left out; the list is omitted if none is requested.',
    ),
    export: described(
      v.object({ jsonPath: v.string(), csvPath: v.string() }),
      'Path and query of this view as JSON and CSV.',
    ),
  }),
  'Usage over time, with each recorded request counted once.',
)

/** Answer of `/api/v1/stats/series`. */
export type StatsSeries = v.InferOutput<typeof statsSeriesSchema>
