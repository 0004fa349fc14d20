import { nanoUsdOf } from './usage-cost.ts'
import { costIn, type FailureClass, type UsageCounts } from './usage-counts.ts'

/** Units of metrics. */
export const metricUnits = ['tokens', 'requests', 'usd', 'percent', 'ms'] as const

/** A metric that can be summed. `of` returns null if the proxy did not report it. */
interface Count {
  readonly kind: 'count'
  readonly unit: 'tokens' | 'requests' | 'usd'
  readonly of: (counts: UsageCounts) => number | null
}
/** Ratio of two counts in percent, 0..100; null if unknown or if the divisor is 0. Members are ranked by the divisor. */
interface Share {
  readonly kind: 'share'
  readonly unit: 'percent'
  readonly of: (counts: UsageCounts) => number | null
  readonly ranked: (counts: UsageCounts) => number | null
}
/** Percentile of single requests that did not fail. It cannot be summed, and does not rank members, because one slow request would come first. */
interface Percentile {
  readonly kind: 'percentile'
  readonly unit: 'ms'
  readonly of: RequestTime
  readonly percent: number
}
/** Times of one request, in milliseconds: until the end of its answer, until its first token. */
export type RequestTime = 'latencyMs' | 'firstTokenMs'

/** Tokens of some classes; null if the classes of all requests are unknown. */
function tokensOf(counts: UsageCounts, part: number): number | null {
  const { tokens, tokensIn, tokensCached, tokensWritten, tokensOut } = counts
  return tokens > 0 && tokensIn + tokensCached + tokensWritten + tokensOut === 0 ? null : part
}

/** Failures of a class; null if the classes of all failures are unknown. */
function failuresIn(of: FailureClass): Count {
  return {
    kind: 'count',
    unit: 'requests',
    of(counts) {
      const { failed, failedAuth, failedLimit, failedVendor, failedOther } = counts
      const told = failedAuth + failedLimit + failedVendor + failedOther
      return failed > 0 && told === 0 ? null : counts[of]
    },
  }
}

const inputOf = ({ tokensIn, tokensCached, tokensWritten }: UsageCounts) =>
  tokensIn + tokensCached + tokensWritten
const inputCount = (counts: UsageCounts) => tokensOf(counts, inputOf(counts))

/** Metrics of a chart of usage. See docs/rules.md#statistics. */
const METRICS = {
  tokens: { kind: 'count', unit: 'tokens', of: ({ tokens }) => tokens },
  requests: { kind: 'count', unit: 'requests', of: ({ requests }) => requests },
  failed: { kind: 'count', unit: 'requests', of: ({ failed }) => failed },
  input: { kind: 'count', unit: 'tokens', of: inputCount },
  cached: { kind: 'count', unit: 'tokens', of: (counts) => tokensOf(counts, counts.tokensCached) },
  output: { kind: 'count', unit: 'tokens', of: (counts) => tokensOf(counts, counts.tokensOut) },
  cache_share: {
    kind: 'share',
    unit: 'percent',
    of: (counts) => {
      const input = inputOf(counts)
      return input === 0 ? null : (100 * counts.tokensCached) / input
    },
    ranked: inputCount,
  },
  latency_p50: { kind: 'percentile', unit: 'ms', of: 'latencyMs', percent: 50 },
  latency_p95: { kind: 'percentile', unit: 'ms', of: 'latencyMs', percent: 95 },
  first_token_p50: { kind: 'percentile', unit: 'ms', of: 'firstTokenMs', percent: 50 },
  first_token_p95: { kind: 'percentile', unit: 'ms', of: 'firstTokenMs', percent: 95 },
  failed_auth: failuresIn('failedAuth'),
  failed_limit: failuresIn('failedLimit'),
  failed_vendor: failuresIn('failedVendor'),
  cost: {
    kind: 'count',
    unit: 'usd',
    of: (counts) => {
      const nano = nanoUsdOf(costIn(counts), counts.tokens)
      return nano === null ? null : nano / 1e9
    },
  },
} as const satisfies Readonly<Record<string, Count | Share | Percentile>>

/** Metric of one chart of usage. */
export type UsageMetric = keyof typeof METRICS
/** Metrics a chart of usage can show. */
export const usageMetrics = Object.keys(METRICS) as readonly UsageMetric[]

export function metricRow(metric: UsageMetric): Count | Share | Percentile {
  return METRICS[metric]
}

/** Value of a metric over counts; null if unknown, and for percentiles, which need single requests. */
export function metricOf(metric: UsageMetric, counts: UsageCounts): number | null {
  const row = metricRow(metric)
  return row.kind === 'percentile' ? null : row.of(counts)
}

/** Value by which a member is ranked, highest first; -1 if unknown. Without any prices, cost ranks by tokens. */
export function rankOf(metric: UsageMetric, counts: UsageCounts): number {
  const row = metricRow(metric)
  if (row.unit === 'usd' && counts.cost === undefined) return counts.tokens
  if (row.kind === 'percentile') return counts.requests
  return (row.kind === 'share' ? row.ranked(counts) : row.of(counts)) ?? -1
}
