import { type EpochMs, epochMs, plusMs, type QuotaSample } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { readRecording } from '@svc/fake-proxy'
import { describe, expect, it } from 'vitest'
import { emptySample } from '../../testing/vendor-answers.ts'
import type { ProbeResult } from '../contract/provider.ts'
import { codex, identityOf, loginOf, quotaRequest, windowsOf } from './descriptor.ts'
import { codexQuotaSampleOf } from './usage-document.ts'

it('sends the login and the workspace to the vendor alone', () => {
  const { url, headers } = quotaRequest({ bearer: 'canary', vendorAccountId: 'workspace-1' })

  expect(new URL(url).origin).toBe('https://chatgpt.com')
  expect(url).not.toContain('canary')
  expect(headers).toMatchObject({
    Authorization: 'Bearer canary',
    'Chatgpt-Account-Id': 'workspace-1',
  })
})

it('of a login without a workspace has no header for one', () => {
  const { headers } = quotaRequest({ bearer: 'canary', vendorAccountId: null })

  expect(Object.keys(headers).map((name) => name.toLowerCase())).not.toContain('chatgpt-account-id')
})

describe('what an entry of the list says of its login', () => {
  const token = (id: unknown, plan: unknown) => ({
    id_token: { chatgpt_account_id: id, plan_type: plan },
  })

  it.each<{ why: string; entry: unknown; id: string | null; plan: string | null }>([
    { why: 'both', entry: token('workspace-1', 'plus'), id: 'workspace-1', plan: 'plus' },
    { why: 'no token', entry: {}, id: null, plan: null },
    { why: 'a token that is text', entry: { id_token: 'canary' }, id: null, plan: null },
    { why: 'no object', entry: null, id: null, plan: null },
    { why: 'an id that breaks a header', entry: token('a\r\nb', 'plus'), id: null, plan: 'plus' },
    { why: 'an id with a space', entry: token('a b', null), id: null, plan: null },
    { why: 'an id of 128', entry: token('x'.repeat(128), null), id: 'x'.repeat(128), plan: null },
    { why: 'an id of 129', entry: token('x'.repeat(129), null), id: null, plan: null },
    { why: 'a long plan', entry: token('', 'p'.repeat(100)), id: null, plan: 'p'.repeat(64) },
  ])('$why', ({ entry, id, plan }) => {
    expect(identityOf(entry)).toMatchObject({ vendorAccountId: id, claimedPlan: plan })
  })
})

describe('the end of the subscription that a token names', () => {
  const until = (wire: unknown) =>
    identityOf({ id_token: { chatgpt_subscription_active_until: wire } }).subscribedUntil
  const end = Date.UTC(2027, 0, 1)

  it.each([
    { wire: '2027-01-01T00:00:00+00:00' },
    { wire: '2027-01-01T08:00:00+08:00' },
    { wire: end / 1000 },
    { wire: String(end / 1000) },
    { wire: end },
  ])('is read as the proxy passes it on: $wire', ({ wire }) => {
    expect(until(wire)).toBe(end)
  })

  it.each([{ wire: undefined }, { wire: 0 }, { wire: '0001-01-01T00:00:00Z' }])(
    'is not known: $wire',
    ({ wire }) => {
      expect(until(wire)).toBeNull()
    },
  )
})

describe('the login in an auth file', () => {
  const file = { access_token: 'token', account_id: 'workspace-1', type: 'codex', disabled: false }
  const login = { bearer: 'token', vendorAccountId: 'workspace-1', disabled: false }

  it.each<readonly [why: string, content: unknown, read: object]>([
    ['whole', { ...file, refresh_token: 'canary' }, login],
    ['a token alone', { access_token: 'token' }, { ...login, vendorAccountId: null }],
    ['no workspace', { ...file, account_id: null }, { ...login, vendorAccountId: null }],
    ['disabled', { ...file, disabled: true }, { ...login, disabled: true }],
  ])('is read: $0', (_, content, read) => {
    expect(loginOf(content)).toEqual(read)
  })

  it.each<{ why: string; content: unknown }>([
    { why: 'a workspace that breaks a header', content: { ...file, account_id: 'a\nb' } },
  ])('is not there: $why', ({ content }) => {
    expect(loginOf(content)).toBeNull()
  })
})

interface RecordedQuery {
  readonly label: string
  readonly body: { readonly status_code?: number; readonly header: object; readonly body: string }
}
const recording = readRecording('v7-api-call') as readonly RecordedQuery[]

function recordedResult(label: string): ProbeResult {
  const answer = recording.find((entry) => entry.label === label)?.body
  if (answer?.status_code === undefined) throw new Error(`nothing was recorded as ${label}`)
  const headers = new Headers(
    Object.entries(answer.header).map(([name, values]): [string, string] => [name, String(values)]),
  )
  return windowsOf({ status: answer.status_code, headers, body: answer.body, receivedAt: NOW })
}

const aWindow = (changes: object = {}) => ({
  used_percent: 10,
  limit_window_seconds: 18_000,
  reset_after_seconds: 600,
  reset_at: 1_795_180_000,
  ...changes,
})

function sampleOf(changes: object): QuotaSample {
  const sample = codexQuotaSampleOf(
    {
      plan_type: 'plus',
      rate_limit: { allowed: true, primary_window: aWindow(), secondary_window: null },
      ...changes,
    },
    NOW,
  )
  if (sample === null) throw new Error('expected a sample')
  return sample
}
const mainWindow = (window: object, limit: object = {}) =>
  sampleOf({ rate_limit: { allowed: true, primary_window: window, ...limit } }).windows[0]
const idsOf = (sample: QuotaSample) => sample.windows.map((window) => window.id)

describe('the recorded answers', () => {
  it('plus: both windows', () => {
    expect(recordedResult('plus, two windows')).toEqual({
      kind: 'sample',
      sample: {
        ...emptySample,
        plan: 'plus',
        windows: [
          { id: '5h', periodSeconds: 18_000, percent: 90, resetAt: epochMs(1_795_227_817_000) },
          { id: 'week', periodSeconds: 604_800, percent: 80, resetAt: epochMs(1_795_618_817_000) },
        ],
        allowed: true,
      },
    })
  })

  it('pro: the week in the first slot, and a limit of its own for one feature', () => {
    expect(recordedResult('pro, weekly only, extra limit')).toMatchObject({
      sample: {
        windows: [
          { id: 'week', percent: 97 },
          { id: 'extra:codex_bengalfox:week', percent: 100 },
        ],
        limitReached: false,
      },
    })
  })

  it.each([
    [
      'exhausted 5h',
      {
        kind: 'sample',
        sample: {
          limitReached: true,
          windows: [
            { id: '5h', percent: 0 },
            { id: 'week', percent: 36 },
          ],
        },
      },
    ],
    [
      'free exhausted',
      {
        kind: 'sample',
        sample: { plan: 'free', limitReached: true, windows: [{ id: 'week', percent: 0 }] },
      },
    ],
    ['token invalidated', { kind: 'auth', httpStatus: 401 }],
    ['workspace deactivated', { kind: 'auth', httpStatus: 402 }],
    ['Cloudflare challenge', { kind: 'blocked', httpStatus: 403 }],
    ['upstream 500', { kind: 'failed', code: 'server_error', httpStatus: 500 }],
    ['usage endpoint throttled', { kind: 'throttled', httpStatus: 429, retryAfterSeconds: 120 }],
  ])('%s', (label, expected) => {
    expect(recordedResult(label)).toMatchObject(expected)
  })
})

describe('the count of banked resets', () => {
  const countIn = (wire: object) =>
    codexQuotaSampleOf({ plan_type: 'plus', ...wire }, NOW)?.bankedResetCount

  it.each([0, 1, 2, 999])('a count of %s is read, in snake case and in camel case', (count) => {
    expect(countIn({ rate_limit_reset_credits: { available_count: count } })).toBe(count)
    expect(countIn({ rateLimitResetCredits: { availableCount: count } })).toBe(count)
  })

  it.each([undefined, null, -1, 1000, 1e9, 1.5, '2', '', true, [2], {}, Number.NaN])(
    '%s is unknown, not 0',
    (count) => {
      expect(countIn({ rate_limit_reset_credits: { available_count: count } })).toBeUndefined()
      expect(countIn({ rate_limit_reset_credits: count })).toBeUndefined()
    },
  )
})

describe('windowsOf', () => {
  const result = (
    status: number,
    body = '{}',
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => windowsOf({ status, body, headers: new Headers(headers), receivedAt: NOW }).kind

  it.each([
    [result(403, '<html>', {}), 'blocked', 'a page says so by itself'],
    [result(403, '{}'), 'failed', '403 as JSON is none of Cloudflare’s'],
    [
      result(503, '', { 'cf-mitigated': 'challenge' }),
      'blocked',
      'a challenge under another status',
    ],
    [
      result(401, '<html>', { 'cf-mitigated': 'challenge' }),
      'blocked',
      'a challenge condemns no login',
    ],
    [result(404), 'failed', ''],
    [result(200, 'not json'), 'failed', ''],
    [result(200, '{}'), 'failed', 'says nothing about quota'],
  ])('%s is expected to be %s: %s', (kind, expected) => {
    expect(kind).toBe(expected)
  })
})

it.each([
  { resets_at: 1_795_180_000, kind: 'usage_limit' },
  { resets_at: NOW / 1000, kind: 'quota' },
  { resets_at: NOW / 1000 - 3600, kind: 'quota' },
  { resets_at: 0, kind: 'quota' },
  { kind: 'quota' },
])('a refusal whose reset is $resets_at is a $kind', ({ kind, ...times }) => {
  const body = JSON.stringify({ error: { type: 'usage_limit_reached', ...times } })
  expect(codex.refusalIn({ httpStatus: 429, body }, NOW)).toMatchObject({ kind })
})

describe('a window', () => {
  it.each([
    [18_000, '5h'],
    [16_200, '5h'],
    [16_199, '16199s'],
    [604_800, 'week'],
    [2_419_200, 'month'],
    [2_678_400, 'month'],
    ['18000', '5h'],
    [86_400, 'day'],
  ])('of %s s is %s', (seconds, id) => {
    expect(mainWindow(aWindow({ limit_window_seconds: seconds }))?.id).toBe(id)
  })

  it.each([[null], [undefined], [0], [-5], ['soon'], [1e12], [{}]])(
    'of %s s is unreadable, which is not absent',
    (seconds) => {
      const sample = sampleOf({
        rate_limit: {
          primary_window: aWindow({ limit_window_seconds: seconds }),
          secondary_window: aWindow(),
        },
      })

      expect(sample).toMatchObject({ windows: [{ id: '5h' }], unreadableWindowCount: 1 })
    },
  )

  it.each([
    [33.33, 66.7],
    [250, 0],
    [-3, undefined],
    ['64.5', 35.5],
  ])('with %s %% used has %s %% left', (used, left) => {
    expect(mainWindow(aWindow({ used_percent: used }))?.percent).toBe(left)
  })

  it('without a percent is spent when its limit is reached, else unreadable', () => {
    expect(mainWindow(aWindow({ used_percent: null }), { limit_reached: true })?.percent).toBe(0)
    expect(
      sampleOf({ rate_limit: { allowed: true, primary_window: aWindow({ used_percent: null }) } }),
    ).toMatchObject({
      windows: [],
      unreadableWindowCount: 1,
    })
  })

  it.each<[object, EpochMs | null, string]>([
    [{ reset_at: 1_795_180_000 }, epochMs(1_795_180_000_000), 'seconds'],
    [{ reset_at: 1_795_180_000_123 }, epochMs(1_795_180_000_123), 'milliseconds'],
    [{ reset_at: '1795180000' }, epochMs(1_795_180_000_000), 'a numeric string'],
    [{ reset_at: null }, plusMs(NOW, 600_000), 'counted from the sample'],
    [{ reset_at: 0 }, plusMs(NOW, 600_000), 'no time'],
    [{ reset_at: 4_000_000_000 }, plusMs(NOW, 600_000), 'decades ahead'],
    [{ reset_at: null, reset_after_seconds: null }, null, 'neither'],
    [{ reset_at: null, reset_after_seconds: -1 }, null, 'negative'],
  ])('with %j resets at %s: %s', (changes, resetAt) => {
    expect(mainWindow(aWindow(changes))?.resetAt).toBe(resetAt)
  })

  it('seen twice counts as the one with less left', () => {
    const sample = sampleOf({
      rate_limit: {
        primary_window: aWindow({ used_percent: 20 }),
        secondary_window: aWindow({ used_percent: 70 }),
      },
    })

    expect(sample.windows).toMatchObject([{ id: '5h', percent: 30 }])
  })
})

describe('a document', () => {
  it('may be written in camel case', () => {
    const sample = codexQuotaSampleOf(
      {
        planType: 'Team',
        rateLimit: {
          limitReached: true,
          primaryWindow: {
            usedPercent: '100',
            limitWindowSeconds: '604800',
            resetAt: 1_795_180_000,
          },
        },
        rateLimitReachedType: 'rate_limit_reached',
        spendControl: { reached: true, individualLimit: { resetAt: 1_795_190_000 } },
      },
      NOW,
    )

    expect(sample).toMatchObject({
      plan: 'Team',
      limitReached: true,
      windows: [{ id: 'week', percent: 0 }],
      spendReached: { resetAt: 1_795_190_000_000 },
    })
  })

  it.each<[unknown, number, string]>([
    [null, 0, 'the plan has no limit'],
    [undefined, 1, 'renamed, perhaps'],
    ['none', 1, 'not an object'],
    [{ allowed: true }, 1, 'no slot at all'],
    [{ primary_window: null, secondary_window: null }, 0, 'both slots empty'],
  ])('with the limit %j has %d unreadable windows: %s', (limit, unreadableWindowCount) => {
    expect(sampleOf({ rate_limit: limit })).toMatchObject({ windows: [], unreadableWindowCount })
  })

  it.each([
    [{ reached: false, individual_limit: { reset_at: 1_795_190_000 } }, null],
    [{ reached: true, individual_limit: null }, { resetAt: null }],
    [{ reached: 'true' }, { resetAt: null }],
    [null, null],
    ['reached', null],
  ])('with the spend control %j has reached it: %j', (spendControl, spendReached) => {
    expect(sampleOf({ spend_control: spendControl }).spendReached).toEqual(spendReached)
  })

  it('lists no more than 32 extra limits, under ids of bounded length', () => {
    const extra = (index: number) => ({
      metered_feature: `${'x'.repeat(100_000)}${index}`,
      rate_limit: { primary_window: aWindow() },
    })
    const sample = sampleOf({
      additional_rate_limits: Array.from({ length: 1000 }, (_, index) => extra(index)),
    })

    expect(sample.windows.length).toBeLessThanOrEqual(33)
    expect(idsOf(sample).every((id) => id.length < 80)).toBe(true)
  })
})
