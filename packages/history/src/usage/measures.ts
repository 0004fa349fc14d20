import type {
  FailureClass,
  RequestTime,
  ServiceTier,
  TokenClasses,
  UsageCount,
  UsageCounts,
  UsageDetail,
} from '@svc/core/usage'

/** Columns of the token classes, in usage rows and in buckets. */
const CLASSES = {
  tokensIn: 'tokens_in',
  tokensCached: 'tokens_cached',
  tokensWritten: 'tokens_written',
  tokensOut: 'tokens_out',
} as const satisfies Record<keyof TokenClasses, string>
/** Number of each class of failure in the column `failure` of usage rows; null there means unknown. */
const FAILURES = {
  failedAuth: 1,
  failedLimit: 2,
  failedVendor: 3,
  failedOther: 4,
} as const satisfies Record<FailureClass, number>

/** Number of each tier in usage rows and rates; null in rows and 0 in rates mean the standard one. */
const SERVICE_TIERS = {
  priority: 1,
  flex: 2,
  unknown: 9,
} as const satisfies Record<ServiceTier, number>

/** Number of a tier in rates. */
export function tierNumber(tier: ServiceTier | null | undefined): number {
  return tier == null ? 0 : SERVICE_TIERS[tier]
}

/** Tier of a number in rows or rates; null is the standard one. */
export function tierOf(number: number | null): ServiceTier | null {
  return tierNames.find((name) => SERVICE_TIERS[name] === number) ?? null
}

/** Number of a class of failure in rows. */
export function failureNumber(failure: FailureClass): number {
  return FAILURES[failure]
}

const ofTokens = (column: string) => ({
  column,
  ofRow: `coalesce(${column}, 0)`,
  ofRows: `coalesce(sum(${column}), 0)`,
})
const ofFailures = (column: string, failure: FailureClass) => ({
  column,
  ofRow: `CASE failure WHEN ${FAILURES[failure]} THEN 1 ELSE 0 END`,
  ofRows: `count(*) FILTER (WHERE failure = ${FAILURES[failure]})`,
})
/** Bucket column of each measure, the SQL for the amount that one usage row adds, valid in every engine, and for that of several, which can exceed exact numbers. */
const MEASURES = {
  requests: { column: 'requests', ofRow: '1', ofRows: 'count(*)' },
  tokens: ofTokens('tokens'),
  failed: {
    column: 'failed',
    ofRow: 'CAST(failed AS INTEGER)',
    ofRows: 'count(*) FILTER (WHERE failed)',
  },
  tokensIn: ofTokens(CLASSES.tokensIn),
  tokensCached: ofTokens(CLASSES.tokensCached),
  tokensWritten: ofTokens(CLASSES.tokensWritten),
  tokensOut: ofTokens(CLASSES.tokensOut),
  failedAuth: ofFailures('failed_auth', 'failedAuth'),
  failedLimit: ofFailures('failed_limit', 'failedLimit'),
  failedVendor: ofFailures('failed_vendor', 'failedVendor'),
  failedOther: ofFailures('failed_other', 'failedOther'),
} as const satisfies Record<
  UsageCount,
  { readonly column: string; readonly ofRow: string; readonly ofRows: string }
>

export const measureNames = Object.keys(MEASURES) as readonly UsageCount[]
/** Columns of a bucket, in the order in which statements take them. */
export const measureColumns: readonly string[] = measureNames.map((name) => MEASURES[name].column)
/** Amounts that one usage row adds to each measure, in the order of `measureColumns`. */
export const measuresOfRow: readonly string[] = measureNames.map((name) => MEASURES[name].ofRow)
/** Amounts that several usage rows add to each measure, in the order of `measureColumns`. */
export const measuresOfRows: readonly string[] = measureNames.map((name) => MEASURES[name].ofRows)

/** Columns of a usage row that `addRow` takes: few, because each takes time. The last is null for a request that did not fail, and 1 for a failure of no known class. */
export const addedColumns: string = [
  'tokens',
  ...Object.values(CLASSES),
  'CASE WHEN failed THEN 1 + coalesce(failure, 0) END',
].join(', ')

/** Adds a usage row, whose columns begin at `start`, to the measures of a bucket. Without a loop, because an answer adds up to a million rows. */
export function addRow(sum: number[], row: readonly (number | null)[], start: number): void {
  const values = sum as [number, number, number, number, number, number, number]
  values[0] += 1
  values[1] += row[start] ?? 0
  values[3] += row[start + 1] ?? 0
  values[4] += row[start + 2] ?? 0
  values[5] += row[start + 3] ?? 0
  values[6] += row[start + 4] ?? 0
  const failure = row[start + 5]
  if (failure == null) return
  values[2] += 1
  // The classes of failures follow, in the order of their numbers.
  if (failure > 1) sum[5 + failure] = (sum[5 + failure] ?? 0) + 1
}

const classNames = Object.keys(CLASSES) as readonly (keyof TokenClasses)[]
const failureNames = Object.keys(FAILURES) as readonly FailureClass[]
const tierNames = Object.keys(SERVICE_TIERS) as readonly ServiceTier[]

/** Optional fields of a record. */
type Stated = Pick<UsageDetail, 'classes' | 'latencyMs' | 'firstTokenMs' | 'failure' | 'tier'>

export const timeColumns: Readonly<Record<RequestTime, string>> = {
  latencyMs: 'latency_ms',
  firstTokenMs: 'first_token_ms',
}

/** Columns of a usage row for values that its record may omit, in the order of statements and backups. */
export const statedColumns: readonly string[] = [
  ...Object.values(CLASSES),
  ...Object.values(timeColumns),
  'failure',
  'tier',
]

export function statedValues({
  classes,
  latencyMs,
  firstTokenMs,
  failure,
  tier,
}: Stated): readonly (number | null)[] {
  return [
    ...classNames.map((name) => classes?.[name] ?? null),
    latencyMs ?? null,
    firstTokenMs ?? null,
    failure == null ? null : FAILURES[failure],
    tierNumber(tier) || null,
  ]
}

/** Converts the values of `statedColumns`. The token classes are null unless all of them are known. Without a loop, because it runs for each request that is read. */
export function statedOf(
  values: readonly (string | number | null | undefined)[],
): Required<Stated> {
  const numberAt = (index: number) => {
    const value = values[index]
    return typeof value === 'number' ? value : null
  }
  const [tokensIn, tokensCached] = [numberAt(0), numberAt(1)]
  const [tokensWritten, tokensOut] = [numberAt(2), numberAt(3)]
  const failure = numberAt(6)
  return {
    classes:
      tokensIn === null || tokensCached === null || tokensWritten === null || tokensOut === null
        ? null
        : { tokensIn, tokensCached, tokensWritten, tokensOut },
    latencyMs: numberAt(4),
    firstTokenMs: numberAt(5),
    failure: failureNames.find((name) => FAILURES[name] === failure) ?? null,
    tier: tierOf(numberAt(7)),
  }
}

/** Converts the measures of a bucket, given in the order of `measureColumns`. Written without a loop, because a chart converts up to a million. */
export function measuresOf(values: readonly number[]): UsageCounts {
  return {
    requests: values[0] ?? 0,
    tokens: values[1] ?? 0,
    failed: values[2] ?? 0,
    tokensIn: values[3] ?? 0,
    tokensCached: values[4] ?? 0,
    tokensWritten: values[5] ?? 0,
    tokensOut: values[6] ?? 0,
    failedAuth: values[7] ?? 0,
    failedLimit: values[8] ?? 0,
    failedVendor: values[9] ?? 0,
    failedOther: values[10] ?? 0,
  }
}

/** Puts the measures of a bucket into a list, in the order of `measureColumns`. Without a loop, because it runs several times for each stored request. */
export function setMeasures(values: number[], start: number, sum: UsageCounts): void {
  values[start] = sum.requests
  values[start + 1] = sum.tokens
  values[start + 2] = sum.failed
  values[start + 3] = sum.tokensIn
  values[start + 4] = sum.tokensCached
  values[start + 5] = sum.tokensWritten
  values[start + 6] = sum.tokensOut
  values[start + 7] = sum.failedAuth
  values[start + 8] = sum.failedLimit
  values[start + 9] = sum.failedVendor
  values[start + 10] = sum.failedOther
}
