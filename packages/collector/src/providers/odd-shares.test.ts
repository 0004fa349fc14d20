import type { WindowReading } from '@svc/core'
import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Provider, VendorAnswer } from './contract/provider.ts'
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
    { groups: [{ buckets: [{ ...bucket, remainingFraction: `${String(share)}%` }] }] },
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

function answered(document: unknown): VendorAnswer {
  const body = JSON.stringify(document)
  return { status: 200, headers: new Headers(), body, receivedAt: NOW }
}

function fullWindows({ windowsOf }: Provider, document: unknown) {
  const result = windowsOf(answered(document))
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
      for (const wire of headersOf?.(String(share)) ?? [])
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
