import type { ProviderId } from '../facts/provider.ts'
import type { Interval } from '../facts/time.ts'
import type { UsageGroup, UsageMember, UsageRecord } from './usage.ts'
import { noCost } from './usage-cost.ts'
import type { CountedUsage, FailureClass } from './usage-counts.ts'
import type { UsageMetric } from './usage-metrics.ts'
import type { UsageBucketId, UsageRangeId } from './usage-span.ts'

/** Ways to tell one request from another by whom or what it concerns; the group `api` splits by client too, under the client keys. */
export const usageDimensions = ['account', 'client', 'model', 'provider', 'upstream'] as const
export type UsageDimension = (typeof usageDimensions)[number]

/** Results of a request. */
export const usageResults = ['ok', 'failed'] as const
/** Classes of failures: 401 and 403, 429, 5xx, the rest. */
export const failureStatuses = ['auth', 'limit', 'vendor', 'other'] as const
export type FailureStatus = (typeof failureStatuses)[number]

/** Name of a failure class among the counts. */
export const countOfStatus: Readonly<Record<FailureStatus, FailureClass>> = {
  auth: 'failedAuth',
  limit: 'failedLimit',
  vendor: 'failedVendor',
  other: 'failedOther',
}

/** Requests that count. Ids are those of a chart's lines; one of each list must fit, and every list that is given. */
export interface UsageFilter extends Readonly<Partial<Record<UsageDimension, readonly string[]>>> {
  readonly result?: (typeof usageResults)[number]
  /** Of failures alone. */
  readonly status?: readonly FailureStatus[]
}

/** A question about usage; charts, sums and exports differ only in the form of its answer. */
export interface UsageQuestion {
  /** `custom` is the time of `between`. */
  readonly range: UsageRangeId | 'custom'
  /** In whole minutes, or until now; only with `custom`. */
  readonly between?: Interval
  /** Width of the buckets; `auto` if omitted. */
  readonly bucket?: UsageBucketId
  readonly group: UsageGroup
  /** Second dimension of the lines; differs from `group`, which then is a dimension too. */
  readonly second?: UsageDimension
  /** Metric by which members are ranked. */
  readonly metric: UsageMetric
  /** Maximum number of lines and breakdown rows. */
  readonly top: number
  /** Whether to return the previous period of equal length as well. */
  readonly compare?: boolean
  /** Requests that count; all if omitted. */
  readonly filter?: UsageFilter
  /** Dimensions by which the same usage is broken down as well. */
  readonly facets?: readonly UsageDimension[]
  /** Providers of the listed accounts, by key, because sums by account do not name them. */
  readonly listed?: ReadonlyMap<string, ProviderId>
}

/**
 * Group of the breakdown: a total is broken down by account, or by client if clients are filtered, because no sums are kept of accounts and
 * clients together.
 */
export function breakdownGroupOf({
  group,
  filter,
}: Pick<UsageQuestion, 'group' | 'filter'>): Exclude<UsageGroup, 'total'> {
  if (group !== 'total') return group
  return filter?.client === undefined || filter.account !== undefined ? 'account' : 'client'
}

/** Dimensions that a question filters or groups by. */
export function dimensionsOf(question: UsageQuestion): ReadonlySet<UsageDimension> {
  const { filter = {}, second } = question
  const group = breakdownGroupOf(question)
  const filtered = usageDimensions.filter((dimension) => filter[dimension] !== undefined)
  return new Set([
    ...filtered,
    group === 'api' ? 'client' : group,
    ...(second === undefined ? [] : [second]),
  ])
}

/** Whether the filter tells failed requests from others, which sums of members do not. */
export function isByResult({ result, status }: UsageFilter): boolean {
  return result !== undefined || status !== undefined
}

/** The part of a record that counts; null if none does. Of merged requests, failed ones have no tokens. */
export function countedPart(record: UsageRecord, filter: UsageFilter = {}): UsageRecord | null {
  for (const dimension of usageDimensions)
    if (filter[dimension]?.includes(idIn(record, dimension)) === false) return null
  const { result, status } = filter
  if (!isByResult(filter)) return record
  if (result === 'ok' && status !== undefined) return null
  const counted = result === 'ok' ? succeeded(record) : failures(record, status)
  return counted === null ? null : { ...record, ...counted }
}

/** Id of the member of a dimension that a record or a request counts for. */
export function idIn(record: Pick<UsageRecord, UsageDimension>, dimension: UsageDimension): string {
  const value = record[dimension]
  return typeof value === 'string' ? value : value.id
}

const NO_FAILURES = { failed: 0, failedAuth: 0, failedLimit: 0, failedVendor: 0, failedOther: 0 }
const NO_TOKENS = { tokens: 0, tokensIn: 0, tokensCached: 0, tokensWritten: 0, tokensOut: 0 }

function succeeded(record: CountedUsage): Partial<CountedUsage> | null {
  const requests = record.requests - record.failed
  return requests === 0 ? null : { ...NO_FAILURES, requests }
}

function failures(
  record: CountedUsage,
  status: UsageFilter['status'],
): Partial<CountedUsage> | null {
  const classes = Object.fromEntries(
    (status ?? failureStatuses).map((one) => [countOfStatus[one], record[countOfStatus[one]] ?? 0]),
  )
  const failed =
    status === undefined ? record.failed : Object.values(classes).reduce((sum, n) => sum + n, 0)
  if (failed === 0) return null
  const cost = record.cost === undefined ? {} : { cost: noCost }
  const tokens = record.requests === failed ? {} : { ...NO_TOKENS, ...cost }
  return { ...NO_FAILURES, ...tokens, ...classes, requests: failed, failed }
}

/** Whether a single request is one of those asked for. */
export function isAsked(
  request: Pick<UsageRecord, UsageDimension> & {
    readonly failed: boolean
    readonly failure: FailureClass | null
  },
  filter: UsageFilter = {},
): boolean {
  const { result, status } = filter
  const isOfStatus = (one: FailureStatus) => request.failure === countOfStatus[one]
  return (
    usageDimensions.every(
      (dimension) => filter[dimension]?.includes(idIn(request, dimension)) ?? true,
    ) &&
    (result === undefined || request.failed === (result === 'failed')) &&
    (status === undefined || (request.failed && status.some(isOfStatus)))
  )
}

/** A member of two groups: its id is both ids, percent-encoded, with a slash between. */
export function pairOf(one: UsageMember, other: UsageMember): UsageMember {
  const id = [one, other].map((member) => encodeURIComponent(member.id)).join('/')
  return { id, label: `${one.label} · ${other.label}`, members: [one, other] }
}
