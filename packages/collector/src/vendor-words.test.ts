import { defaultPolicy, epochMs, type QuotaSample, rankPool } from '@svc/core'
import { anAccount, evidenceOf, fromNow, NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listedQuotaIn } from './accounts/newer-list-fields.ts'
import { codex } from './providers/codex/descriptor.ts'
import { evidenceWithPassive } from './quota/evidence-after.ts'
import { noAccounts } from './usage/account-directory.ts'
import { decodeRecords } from './usage/usage-decoder.ts'

interface Window {
  readonly seconds: number
  readonly used?: number
  readonly resetAt?: number
}
/** What the vendor says at one time, whichever way it comes. */
interface Said {
  readonly allowed?: boolean
  readonly reached?: boolean
  readonly type?: string
  readonly windows: readonly Window[]
}
const SLOTS = ['primary', 'secondary', 'tertiary']
const iso = new Date(NOW).toISOString()

function byAnswer({ allowed, reached, type, windows }: Said): QuotaSample | null {
  const slots = windows.map(({ used, seconds, resetAt }, at) => [
    `${SLOTS[at]}_window`,
    { used_percent: used, limit_window_seconds: seconds, reset_at: resetAt },
  ])
  const rate_limit = { allowed, limit_reached: reached, ...Object.fromEntries(slots) }
  const document = { plan_type: 'plus', rate_limit, rate_limit_reached_type: type && { type } }
  const body = JSON.stringify(document)
  const result = codex.windowsOf({ status: 200, headers: new Headers(), body, receivedAt: NOW })
  return result.kind === 'sample' ? result.sample : null
}
function headersOf({ allowed, reached, type, windows }: Said): Readonly<Record<string, string>> {
  const named: readonly (readonly [string, unknown])[] = [
    ['Allowed', allowed],
    ['Limit-Reached', reached],
    ['Rate-Limit-Reached-Type', type],
    ...windows.flatMap(({ used, seconds, resetAt }, at) => [
      [`${SLOTS[at]}-Used-Percent`, used] as const,
      [`${SLOTS[at]}-Window-Minutes`, seconds / 60] as const,
      [`${SLOTS[at]}-Reset-At`, resetAt] as const,
    ]),
  ]
  return Object.fromEntries(
    named.flatMap(([name, value]) =>
      value === undefined ? [] : [[`X-Codex-${name}`, String(value)]],
    ),
  )
}
const bySignals = (said: Said) =>
  listedQuotaIn({ observed_at: iso, signals: headersOf(said) }, 'codex', NOW, (at) => at)
function byRecord(said: Said): QuotaSample | null {
  const headers = Object.entries(headersOf(said)).map(([name, value]) => [name, [value]])
  const record = {
    timestamp: iso,
    provider: 'codex',
    model: 'gpt-5.5',
    endpoint: 'POST /v1/responses',
    api_key: 'sk-client',
    source: 'alice@example.com',
    auth_index: 'a',
    tokens: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    failed: false,
    response_headers: Object.fromEntries(headers),
    request_id: 'r',
  }
  const context = { directory: noAccounts, receivedAt: epochMs(NOW + 1000) }
  return decodeRecords([record], context).activity[0]?.samples[0] ?? null
}
const ways = { byAnswer, bySignals, byRecord }

const account = anAccount('asked', { claimedPlan: 'plus' })
const well = anAccount('well', { claimedPlan: 'plus' })
/** An account that has little left and no word about it. */
const poor = evidenceOf([
  { ...sampleOf({ windows: [{ seconds: 18_000, used: 99, resetAt: fromNow(17_000) / 1000 }] }) },
])
function sampleOf(said: Said): QuotaSample {
  return byAnswer(said) ?? expect.fail('no sample')
}
function stateBy(samples: readonly QuotaSample[]) {
  const evidence = new Map([
    [account.selector.authName, evidenceOf(samples)],
    [well.selector.authName, poor],
  ])
  const ranked = rankPool([account, well], evidence, defaultPolicy, NOW)
  const found = ranked.find(({ selector }) => selector.authName === account.selector.authName)
  if (found === undefined) throw new Error('not ranked')
  const { routable, score, blockedReasons, windows, status } = found
  const read = windows.flatMap((window) =>
    window.state === 'known' || window.state === 'exhausted'
      ? [[window.id, window.state, window.percent, window.resetAt]]
      : [],
  )
  return { best: ranked[0]?.title, routable, score, blockedReasons, read, until: status.until }
}

const window = fc.record(
  {
    seconds: fc.constantFrom(18_000, 604_800, 2_592_000),
    used: fc.oneof(fc.integer({ min: -1, max: 120 }), fc.constantFrom(0, 100)),
    resetAt: fc.constantFrom(0, fromNow(-3600) / 1000, NOW / 1000, fromNow(600) / 1000),
  },
  { requiredKeys: ['seconds'] },
)
const anySaid: fc.Arbitrary<Said> = fc.record(
  {
    allowed: fc.boolean(),
    reached: fc.boolean(),
    type: fc.constantFrom('rate_limit_reached', 'primary', 'workspace_member_credits_depleted'),
    windows: fc.uniqueArray(window, { selector: ({ seconds }) => seconds, maxLength: 3 }),
  },
  { requiredKeys: ['windows'] },
)
const isRefused = ({ allowed, reached, type }: Said) =>
  allowed === false || reached === true || type === 'rate_limit_reached'

describe('whatever Codex says', () => {
  it('gives the same state, whichever way it comes', () => {
    fc.assert(
      fc.property(anySaid, (said) => {
        const read = Object.values(ways).flatMap((way) => way(said) ?? [])
        const [first, ...others] = read.map((sample) => {
          // A window that never ran is known from a query alone.
          const { score, best, ...state } = stateBy([sample])
          return state
        })
        for (const state of others) expect(state).toEqual(first)
      }),
    )
  })

  it.each(Object.entries(ways))('a refused account is never routable or picked: %s', (_, way) => {
    fc.assert(
      fc.property(anySaid, anySaid, (said, before) => {
        fc.pre(isRefused(said))
        const refusal = way(said) ?? expect.fail('a refusal says something')
        const earlier = { ...sampleOf(before), sampledAt: fromNow(-60) }
        for (const samples of [[refusal], [earlier, { ...refusal, origin: 'headers' as const }]])
          expect(stateBy(samples)).toMatchObject({ routable: false, score: 0, best: well.title })
      }),
    )
  })

  it('a word without windows is evidence, and keeps the windows known before', () => {
    const quiet = { windows: [{ seconds: 18_000, used: 40, resetAt: fromNow(600) / 1000 }] }
    const known = bySignals(quiet) ?? expect.fail('no sample')
    const earlier = evidenceOf([{ ...known, sampledAt: fromNow(-60) }])
    const word = bySignals({ reached: true, windows: [] }) ?? expect.fail('no sample')
    const evidence = evidenceWithPassive(earlier, word, account) ?? expect.fail('nothing new')

    expect(stateBy(evidence.samples)).toMatchObject({
      blockedReasons: ['quota_exhausted_5h'],
      until: fromNow(600),
    })
    expect(evidenceWithPassive(evidence, word, account)).toBeNull()
  })
})
