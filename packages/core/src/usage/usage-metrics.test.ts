import { describe, expect, it } from 'vitest'
import { emptySum, failureClassOf, type UsageCounts } from './usage-counts.ts'
import { metricOf, rankOf, type UsageMetric, usageMetrics } from './usage-metrics.ts'

const none = emptySum()
const some: UsageCounts = {
  requests: 10,
  tokens: 100,
  failed: 6,
  tokensIn: 30,
  tokensCached: 40,
  tokensWritten: 10,
  tokensOut: 20,
  failedAuth: 1,
  failedLimit: 2,
  failedVendor: 2,
  failedOther: 1,
  cost: { units: 25_000_000_000_000_000n, unpricedTokens: 40, assumedTokens: 0 },
}
/** Usage of a proxy that tells neither classes of tokens nor status codes. */
const untold: UsageCounts = { ...none, requests: 10, tokens: 100, failed: 6 }

describe('the value of a metric', () => {
  it.each<readonly [UsageMetric, some: number | null, untold: number | null, none: number | null]>([
    ['tokens', 100, 100, 0],
    ['requests', 10, 10, 0],
    ['failed', 6, 6, 0],
    ['input', 80, null, 0],
    ['cached', 40, null, 0],
    ['output', 20, null, 0],
    ['cache_share', 50, null, null],
    ['failed_auth', 1, null, 0],
    ['failed_limit', 2, null, 0],
    ['failed_vendor', 2, null, 0],
    ['latency_p95', null, null, null],
    ['cost', 2.5, null, 0],
  ])('%s is %s, %s where nothing is told, and %s of nothing', (metric, ...values) => {
    expect([some, untold, none].map((counts) => metricOf(metric, counts))).toEqual(values)
  })

  it('is 0 where all failures are told, and none is of the class', () => {
    expect(metricOf('failed_auth', { ...untold, failedOther: 6 })).toBe(0)
  })

  it('is that of the requests of which it is told', () => {
    expect(metricOf('cached', { ...some, tokens: 1_000 })).toBe(40)
  })
})

describe('the rank of a member', () => {
  it('is a number for every metric, and lowest where the metric is unknown', () => {
    for (const metric of usageMetrics)
      expect(rankOf(metric, some), metric).toBeGreaterThan(rankOf(metric, none))
    expect(rankOf('cached', untold)).toBeLessThan(rankOf('cached', none))
  })

  it('is that of its tokens for a cost without any prices, and lowest without a price of its own', () => {
    expect(rankOf('cost', untold)).toBe(100)
    const cost = { units: 0n, unpricedTokens: 100, assumedTokens: 0 }
    expect(rankOf('cost', { ...untold, cost })).toBe(-1)
  })

  it('is that of its requests for a percentile, and of its input for the cached share', () => {
    expect(rankOf('latency_p95', some)).toBe(10)
    expect(rankOf('cache_share', some)).toBe(80)
  })
})

it.each([
  [400, 'failedOther'],
  [401, 'failedAuth'],
  [402, 'failedOther'],
  [403, 'failedAuth'],
  [428, 'failedOther'],
  [429, 'failedLimit'],
  [499, 'failedOther'],
  [500, 'failedVendor'],
  [599, 'failedVendor'],
  [600, 'failedOther'],
] as const)('a failure with %i is %s', (status, failure) => {
  expect(failureClassOf(status)).toBe(failure)
})
