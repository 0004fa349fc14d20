import type { EpochMs } from '../facts/time.ts'
import { metricRow, type RequestTime, type UsageMetric } from './usage-metrics.ts'
import { QUESTION_REQUESTS_MAX } from './usage-plan.ts'
import { bucketIndexOf, type UsageSpan } from './usage-span.ts'

/** Maximum number of requests for percentiles, which are computed from single rows. See docs/decisions/020-percentiles-from-rows.md. */
export const PERCENTILE_REQUESTS_MAX = 25_000

/** Time of one request that did not fail. */
export interface TimedRequest {
  readonly at: EpochMs
  readonly memberId: string
  readonly milliseconds: number
}

/** Percentile of the whole span, and of each bucket; null if no request has a time. */
export interface PercentileLine {
  readonly whole: number | null
  readonly buckets: readonly (number | null)[]
}

/** Reasons for offering nothing that is counted from single rows. */
export const rowsRefusals = ['rows_deleted', 'too_many_requests'] as const
export type RowsRefusal = (typeof rowsRefusals)[number]

/** Single rows in the time of a chart. */
export interface ChartRows {
  readonly span: UsageSpan
  /** Number of requests of all providers in the whole span. */
  readonly scanned: number
  /** Time before which rows were deleted; null if none were. */
  readonly rowsSince: EpochMs | null
}

/** Reason why the rows of some providers are not read; null if they are. */
function rowsRefusalOf({ span, scanned, rowsSince }: ChartRows): RowsRefusal | null {
  if (rowsSince !== null && span.from < rowsSince) return 'rows_deleted'
  return scanned > QUESTION_REQUESTS_MAX ? 'too_many_requests' : null
}

/** Percentiles of a chart, or the reason for their absence. */
export type UsagePercentiles =
  | { readonly kind: 'not_offered'; readonly reason: RowsRefusal }
  | {
      readonly kind: 'offered'
      readonly total: PercentileLine
      /** By member of the breakdown; only members with a row. */
      readonly byMember: ReadonlyMap<string, PercentileLine>
      /** Percentile of the members without a row, taken together. */
      readonly other: number | null
    }

/** The smallest value that so many percent of all do not exceed (nearest rank); null without values. `ascending` is sorted. */
export function percentileOf(ascending: readonly number[], percent: number): number | null {
  return ascending[Math.max(0, Math.ceil((ascending.length * percent) / 100) - 1)] ?? null
}

/** A chart whose metric may be a percentile. */
export interface PercentileQuery extends ChartRows {
  readonly metric: UsageMetric
  /** Number of requests in the whole span. */
  readonly requests: number
  readonly memberIds: readonly string[]
}

/** Time of single requests that the percentiles of a chart need; null if its metric is no percentile or they are not offered. */
export function timeAskedBy(query: PercentileQuery): RequestTime | null {
  const row = metricRow(query.metric)
  return row.kind === 'percentile' && whyNotOffered(query) === null ? row.of : null
}

function whyNotOffered(query: PercentileQuery): RowsRefusal | null {
  const refusal = rowsRefusalOf(query)
  if (refusal !== null) return refusal
  return query.requests > PERCENTILE_REQUESTS_MAX ? 'too_many_requests' : null
}

/** Percentiles of a chart from its requests, in any order; null if its metric is no percentile. */
export function percentilesOf(
  query: PercentileQuery,
  requests: readonly TimedRequest[],
): UsagePercentiles | null {
  const { metric, span, memberIds } = query
  const row = metricRow(metric)
  if (row.kind !== 'percentile') return null
  const reason = whyNotOffered(query)
  if (reason !== null) return { kind: 'not_offered', reason }
  const total = collector(span)
  const byMember = new Map(memberIds.map((id) => [id, collector(span)]))
  const other: number[] = []
  for (const { at, memberId, milliseconds } of ascendingOf(requests)) {
    const index = bucketIndexOf(at, span)
    total.add(index, milliseconds)
    const member = byMember.get(memberId)
    if (member === undefined) other.push(milliseconds)
    else member.add(index, milliseconds)
  }
  return {
    kind: 'offered',
    total: total.line(row.percent),
    byMember: new Map([...byMember].map(([id, member]) => [id, member.line(row.percent)])),
    other: percentileOf(other, row.percent),
  }
}

/** Exceeds the number of requests of a chart; a day in milliseconds times this is still an exact number. */
const PLACES = 2 ** 20

/**
 * Requests in ascending order of duration, so that every part of the list is sorted too. Sorts numbers, which is several times as fast as sorting
 * objects.
 */
function* ascendingOf(requests: readonly TimedRequest[]): Generator<TimedRequest> {
  const places = Float64Array.from(
    requests,
    ({ milliseconds }, place) => milliseconds * PLACES + place,
  )
  for (const place of places.sort()) {
    const request = requests[place % PLACES]
    if (request !== undefined) yield request
  }
}

function collector({ bucketCount }: Pick<UsageSpan, 'bucketCount'>) {
  const whole: number[] = []
  const buckets = Array.from({ length: bucketCount }, (): number[] => [])
  return {
    add(index: number, value: number): void {
      whole.push(value)
      buckets[index]?.push(value)
    },
    line: (percent: number): PercentileLine => ({
      whole: percentileOf(whole, percent),
      buckets: buckets.map((values) => percentileOf(values, percent)),
    }),
  }
}
