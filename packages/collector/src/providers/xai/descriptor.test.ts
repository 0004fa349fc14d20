import { planKindOf, plusMs } from '@svc/core'
import type { StatusMessage } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { aVendorAnswer } from '../../testing/vendor-answers.ts'
import { readStatusMessage, refusalIn, xai } from './descriptor.ts'

const login = { bearer: 'canary', vendorAccountId: null }

it.each([
  { path: '/v1/billing?format=credits', request: xai.quotaRequest(login) },
  { path: '/v1/settings', request: xai.planQuery?.request(login) },
])('$path is asked with the headers the vendor insists on', ({ path, request }) => {
  expect(request).toEqual({
    url: `https://cli-chat-proxy.grok.com${path}`,
    headers: {
      Authorization: 'Bearer canary',
      'x-xai-token-auth': 'xai-grok-cli',
      'x-grok-client-version': '0.2.112',
      Accept: '*/*',
      'User-Agent': 'grok-pager/0.2.112 grok-shell/0.2.112 (linux; x86_64)',
    },
  })
})

it('is asked at most once in 10 minutes, for the plan once a day', () => {
  expect(xai.endpoint).toBe('xai-billing')
  expect(xai.politeness.budget).toEqual({
    perAccountSeconds: 600,
    apartSeconds: 0,
    pause: { firstSeconds: 600, longestSeconds: 7200 },
    blockedPauses: false,
    revokedStops: false,
  })
  expect(xai.planQuery?.everySeconds).toBe(86_400)
})

describe('the plan', () => {
  const planOf = (settings: unknown, status = 200) =>
    xai.planQuery?.planOf(aVendorAnswer(status, JSON.stringify(settings)))

  it.each<{ settings: object; plan: string }>([
    {
      settings: { subscription_tier: 1, subscription_tier_display: 'SuperGrok' },
      plan: 'supergrok',
    },
    { settings: { subscription_tier: 5, subscription_tier_display: ' ' }, plan: 'supergrokheavy' },
    { settings: { subscription_tier: 0 }, plan: 'free' },
    { settings: { subscription_tier: '1' }, plan: 'supergrok' },
    { settings: { subscription_tier: 2 }, plan: 'xbasic' },
    { settings: { subscription_tier: 3 }, plan: 'xpremium' },
    { settings: { subscription_tier: 4 }, plan: 'xpremiumplus' },
    { settings: { subscription_tier: 6 }, plan: 'supergroklite' },
    { settings: { subscription_tier: 7 }, plan: 'supergrokplus' },
    { settings: { subscription_tier: 'x_premium' }, plan: 'xpremium' },
    { settings: { subscription_tier_display: 'New\nPlan' }, plan: 'newplan' },
  ])('of $settings is $plan', ({ settings, plan }) => {
    const reading = planOf(settings)

    expect(planKindOf({ provider: 'xai', name: reading?.plan ?? null })).toBe(plan)
    expect(reading?.vendorIdentity).toBeNull()
  })

  it.each<{ settings: unknown; status?: number }>([
    { settings: {} },
    { settings: { subscription_tier: 8 } },
    { settings: { subscription_tier: {}, subscription_tier_display: null } },
    { settings: ['SuperGrok'] },
    { settings: { subscription_tier: 1 }, status: 403 },
  ])('is not named by $settings', ({ settings, status }) => {
    expect(planOf(settings, status)).toBeNull()
  })

  it('is not named by a page', () => {
    expect(xai.planQuery?.planOf(aVendorAnswer(200, '<html>'))).toBeNull()
  })
})

describe('an answer of the vendor', () => {
  it('has windows', () => {
    const config = {
      currentPeriod: { type: 'USAGE_PERIOD_TYPE_WEEKLY' },
      creditUsagePercent: 42.5,
    }

    expect(xai.windowsOf(aVendorAnswer(200, JSON.stringify({ config })))).toMatchObject({
      kind: 'sample',
      sample: { sampledAt: NOW, windows: [{ id: 'week', percent: 57.5 }] },
    })
  })

  const outOfCredits = '{"error":"You have run out of credits or need a Grok subscription."}'
  const badCredentials = '{"code":"unauthenticated:bad-credentials","error":"x"}'
  const html = { 'content-type': 'text/html' }

  it.each<{ status: number; body?: string; headers?: Record<string, string>; result: object }>([
    { status: 200, body: '<html>', result: { kind: 'failed', code: 'bad_payload' } },
    { status: 200, body: '{}', result: { kind: 'failed', code: 'bad_payload', httpStatus: 200 } },
    {
      status: 401,
      body: '{"error":"missing x-xai-token-auth"}',
      result: { kind: 'auth', httpStatus: 401 },
    },
    { status: 401, body: '{"error":"token revoked"}', result: { kind: 'auth', revoked: true } },
    { status: 402, body: outOfCredits, result: { kind: 'failed', code: 'unexpected_status' } },
    { status: 403, body: badCredentials, result: { kind: 'auth', httpStatus: 403 } },
    { status: 403, body: '{"error":"token revoked"}', result: { kind: 'auth', revoked: true } },
    { status: 403, body: '{"error":"access denied"}', result: { kind: 'unavailable' } },
    { status: 403, body: outOfCredits, result: { kind: 'unavailable', httpStatus: 403 } },
    { status: 403, body: '{"code":"unauthorized"}', result: { kind: 'unavailable' } },
    { status: 403, body: '<html>', result: { kind: 'blocked', httpStatus: 403 } },
    { status: 403, body: badCredentials, headers: html, result: { kind: 'blocked' } },
    { status: 404, result: { kind: 'unavailable', httpStatus: 404 } },
    {
      status: 429,
      body: '{"code":"subscription:free-usage-exhausted"}',
      headers: { 'retry-after': '30' },
      result: { kind: 'throttled', httpStatus: 429, retryAfterSeconds: 30 },
    },
    { status: 500, body: badCredentials, result: { kind: 'failed', code: 'server_error' } },
  ])('of $status $body is $result.kind', ({ status, body = '', headers, result }) => {
    const read = xai.windowsOf(aVendorAnswer(status, body, headers))

    expect(read).toMatchObject(result)
    expect('revoked' in read).toBe('revoked' in result)
  })
})

const quota: StatusMessage = { kind: 'quota' }
const planUsedUp: StatusMessage = { kind: 'quota', planUsedUp: true }
const suspected = { kind: 'auth_fault', deactivated: false, suspected: true } as const
const revoked: StatusMessage = { kind: 'auth_fault', code: 'token_revoked', deactivated: false }
const tomorrow: StatusMessage = {
  kind: 'usage_limit',
  resetsAt: plusMs(NOW, 86_400_000),
  observedAt: NOW,
}

const freeUsedUp = JSON.stringify({
  code: 'subscription:free-usage-exhausted',
  error:
    'You have used all of your included free usage. Usage resets over a rolling 24-hour window.',
})
const outOfCredits = '{"error":"You have run out of credits or need a Grok subscription."}'
const badCredentials = JSON.stringify({
  code: 'unauthenticated:bad-credentials',
  error: 'The OAuth2 access token could not be validated.',
})
const expired = '{"error":"Invalid or expired credentials"}'

describe('a message of the proxy', () => {
  it.each<{ text: string; message: StatusMessage | object }>([
    { text: '', message: { kind: 'none' } },
    { text: '<html>run out of credits</html>', message: { kind: 'blocked' } },
    { text: freeUsedUp, message: tomorrow },
    { text: outOfCredits, message: planUsedUp },
    { text: 'You have run out of credits', message: planUsedUp },
    { text: '{"code":"personal-team-blocked:spending-limit"}', message: planUsedUp },
    { text: '{"error":"Your team has used all available credits"}', message: planUsedUp },
    { text: badCredentials, message: { ...suspected, code: 'bad_credentials' } },
    { text: '{"code":"bad-credentials"}', message: { ...suspected, code: 'bad_credentials' } },
    { text: expired, message: suspected },
    { text: 'unauthorized', message: suspected },
    { text: '{"code":"authentication_error"}', message: suspected },
    { text: 'invalid_grant', message: revoked },
    { text: '{"code":"unauthorized","error":"The token was revoked."}', message: revoked },
    { text: 'account_deactivated', message: { kind: 'auth_fault', deactivated: true } },
    { text: '{"error":"Too many requests"}', message: quota },
    { text: 'payment_required', message: quota },
    { text: 'quota exhausted', message: quota },
    { text: '{"error":"access denied"}', message: { kind: 'other' } },
    { text: '{"error":"about bad-credentials"}', message: { kind: 'other' } },
    { text: '{"error":{"toString":1},"code":[]}', message: { kind: 'other' } },
    { text: 'null', message: { kind: 'other' } },
  ])('$text', ({ text, message }) => {
    const read = readStatusMessage(text, NOW)

    expect(read).toMatchObject(message)
    expect('suspected' in read).toBe('suspected' in message)
    expect('planUsedUp' in read).toBe('planUsedUp' in message)
  })

  it('about used-up free usage has no end if nobody knows when it was written', () => {
    expect(readStatusMessage(freeUsedUp, null)).toEqual(quota)
  })
})

describe('a failed request', () => {
  it.each<{ httpStatus: number; body: string; verdict: object | null }>([
    { httpStatus: 401, body: badCredentials, verdict: suspected },
    { httpStatus: 401, body: '', verdict: suspected },
    { httpStatus: 401, body: '{"error":"invalid_grant"}', verdict: revoked },
    { httpStatus: 402, body: outOfCredits, verdict: planUsedUp },
    { httpStatus: 403, body: badCredentials, verdict: suspected },
    { httpStatus: 403, body: '{"error":"token revoked"}', verdict: revoked },
    { httpStatus: 403, body: '{"error":"access denied"}', verdict: null },
    { httpStatus: 403, body: '{"code":"unauthorized"}', verdict: null },
    { httpStatus: 403, body: '<html>run out of credits</html>', verdict: null },
    { httpStatus: 429, body: freeUsedUp, verdict: tomorrow },
    { httpStatus: 429, body: '{"error":"Too many requests"}', verdict: quota },
    { httpStatus: 429, body: '', verdict: quota },
    { httpStatus: 400, body: freeUsedUp, verdict: null },
    { httpStatus: 503, body: outOfCredits, verdict: null },
    { httpStatus: 0, body: '', verdict: null },
  ])('$httpStatus $body', ({ httpStatus, body, verdict }) => {
    const read = refusalIn({ httpStatus, body }, NOW)

    if (verdict === null) expect(read).toBeNull()
    else expect(read).toMatchObject(verdict)
    if (verdict === quota) expect(read).toEqual(quota)
    if (verdict === revoked) expect(read).not.toHaveProperty('suspected')
  })
})
