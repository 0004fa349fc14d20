import type { WindowReading } from '@svc/core'
import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { aVendorAnswer } from '../testing/vendor-answers.ts'
import type { Provider } from './contract/provider.ts'
import { knownProviders } from './known-providers.ts'
import { pluginQuotaOf } from './plugin/quota-fetch.ts'

const resets = '2026-11-24T10:00:00Z'
const minutes5h = { window: { duration: 300, timeUnit: 'TIME_UNIT_MINUTE' } }
const period = { type: 'USAGE_PERIOD_TYPE_WEEKLY', end: resets }
const bucket = { bucketId: 'gemini-5h', window: '5h', resetTime: resets }

/** Documents of each vendor with this share in every place of one. */
const documents: Readonly<Record<string, (share: unknown) => readonly unknown[]>> = {
  codex: (used_percent) => [
    { rate_limit: { primary_window: { used_percent, limit_window_seconds: 18_000 } } },
    { rateLimit: { secondaryWindow: { usedPercent: used_percent, limitWindowSeconds: 604_800 } } },
  ],
  claude: (share) => [
    { five_hour: { utilization: share, resets_at: resets } },
    { limits: [{ kind: 'weekly_all', percent: share }], five_hour: { utilization: share } },
    { extra_usage: { is_enabled: true, utilization: share } },
  ],
  xai: (share) => [
    { config: { currentPeriod: period, creditUsagePercent: share } },
    { config: { currentPeriod: period, productUsage: [{ usagePercent: share }] } },
    { config: { currentPeriod: period, productUsage: [{ usagePercent: 40 }, {}] } },
    { config: { onDemandCap: { val: 2000 }, onDemandUsed: { val: share ?? null } } },
  ],
  kimi: (share) => [
    { usage: { limit: '100', used: share } },
    { usage: { limit: '100', used: share, remaining: share } },
    { limits: [{ ...minutes5h, detail: { limit: '100', remaining: share } }] },
    { usages: { limit_5h: { used_ratio: share }, limit_month_total: { used_ratio: share } } },
  ],
  antigravity: (share) => [
    { groups: [{ displayName: 'A', buckets: [{ ...bucket, remainingFraction: share }] }] },
    { groups: [{ buckets: [{ ...bucket, remaining: { remainingFraction: share } }] }] },
    { groups: [{ buckets: [{ ...bucket, remainingFraction: `${textOf(share)}%` }] }] },
  ],
}
const headers: Readonly<Record<string, (share: string) => readonly object[]>> = {
  codex: (share) => [
    { 'X-Codex-Primary-Used-Percent': share, 'X-Codex-Primary-Window-Minutes': '300' },
  ],
  claude: (share) => [
    { 'Anthropic-Ratelimit-Unified-5h-Utilization': share },
    { 'Anthropic-Ratelimit-Unified-7d_opus-Utilization': [share] },
  ],
  xai: (share) => [
    { 'X-Ratelimit-Limit-Tokens': '100', 'X-Ratelimit-Remaining-Tokens': share },
    { 'X-Ratelimit-Limit-Tokens': share, 'X-Ratelimit-Remaining-Tokens': '100' },
  ],
}

const oddShare = fc.oneof(
  fc.constantFrom('', ' ', '-1', 'NaN', 'null', 'full', null, undefined, Number.NaN, {}, [], true),
  fc.double({ max: -1e-6, noNaN: true, noDefaultInfinity: true }),
)

function fullWindows({ windowsOf }: Provider, document: unknown) {
  const result = windowsOf(aVendorAnswer(200, document))
  return result.kind === 'sample' ? result.sample.windows.filter(isFull) : []
}
/** A zero that the vendor left out says so. */
const isFull = ({ percent, note }: WindowReading) => percent >= 100 && note !== 'derived'

it.each(knownProviders)('a share that is none is never all that is left: $id', (provider) => {
  const documentsOf = documents[provider.id] ?? documents.kimi
  const headersOf = headers[provider.id]
  fc.assert(
    fc.property(oddShare, (share) => {
      for (const document of documentsOf?.(share) ?? [])
        expect(fullWindows(provider, document), JSON.stringify(document)).toEqual([])
      for (const wire of headersOf?.(textOf(share)) ?? [])
        expect(provider.windowsFromHeaders(wire, NOW)?.windows.filter(isFull) ?? []).toEqual([])
    }),
  )
})

it('nor is it of a plugin', () => {
  fc.assert(
    fc.property(oddShare, (remainingFraction) => {
      const groups = [{ displayName: 'A', buckets: [{ window: 'weekly', remainingFraction }] }]
      expect(pluginQuotaOf({ groups }, NOW)?.windows).toEqual([])
    }),
  )
})

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.double(),
  fc.constantFrom('0', '1e999', 1e308, 5e-324, '5h', '40%', resets, { toString: 1 }, null),
)
const someStatus = fc.constantFrom(200, 200, 400, 401, 402, 403, 404, 429, 500)

/** The document with another value in the place of a member. */
function damaged(document: unknown, place: number, value: unknown): unknown {
  let left = place
  // A copy, because the value may be in the document already.
  const other = structuredClone(value)
  return JSON.parse(
    JSON.stringify(document, (key, member) => (key !== '' && left-- === 0 ? other : member)),
  )
}
/** The value as a header has it. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
function expectSound(windows: readonly WindowReading[] = []): void {
  for (const { id, percent } of windows) {
    expect(percent >= 0 && percent <= 100).toBe(true)
    expect(id).toMatch(/^(?:[a-z0-9_-]+:)*[a-z0-9_-]+$/)
  }
  expect(new Set(windows.map(({ id }) => id)).size).toBe(windows.length)
}

it.each(knownProviders)('nothing throws, and every percent is one: $id', (provider) => {
  const documentsOf = (share: unknown) => (documents[provider.id] ?? documents.kimi)?.(share) ?? []
  const wires = fc
    .tuple(anything, fc.nat(9), anything)
    .map(([share, place, value]) => [
      value,
      ...documentsOf(share).map((one) => damaged(one, place, value)),
    ])
  fc.assert(
    fc.property(wires, someStatus, anything, (all, status, odd) => {
      for (const wire of all) {
        const answer = aVendorAnswer(status, wire)
        const { body } = answer
        const result = provider.windowsOf(answer)
        if (result.kind === 'sample') expectSound(result.sample.windows)
        provider.planQuery?.planOf(answer)
        provider.identityOf(wire)
        provider.readStatusMessage(body, null)
        const refusal = provider.refusalIn({ httpStatus: status, body }, NOW)
        if (refusal?.kind === 'usage_limit') expect(refusal.resetsAt).toBeGreaterThan(NOW)
      }
      for (const named of headers[provider.id]?.(textOf(odd)) ?? [])
        expectSound(provider.windowsFromHeaders(damaged(named, 1, odd), NOW)?.windows)
      provider.windowsFromHeaders(odd, NOW)
    }),
  )
})

it('nothing throws, and every percent is one: a plugin', () => {
  const groups = (share: unknown) => [
    { displayName: 'A', buckets: [{ window: 'weekly', remainingFraction: share }] },
    { buckets: [{ window: '5h', remainingFraction: share, resetTime: resets }] },
  ]
  fc.assert(
    fc.property(anything, fc.nat(8), anything, (share, place, value) => {
      for (const wire of [value, damaged({ groups: groups(share) }, place, value)])
        expectSound(pluginQuotaOf(wire, NOW)?.windows)
    }),
  )
})
