import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { aVendorAnswer } from '../../testing/vendor-answers.ts'
import type { VendorAnswer } from '../contract/provider.ts'
import { antigravity } from './descriptor.ts'

const googleError = (code: number, message: string, reason?: string) => ({
  error: {
    code,
    message,
    status: 'PERMISSION_DENIED',
    details: reason === undefined ? [] : [{ '@type': 'google.rpc.ErrorInfo', reason }],
  },
})

describe('the requests', () => {
  const login = { bearer: 'canary', vendorAccountId: 'project-41' }

  it('ask for the project at three hosts of the vendor in turn', () => {
    const requests = [
      antigravity.quotaRequest(login),
      ...(antigravity.otherQuotaRequests?.(login) ?? []),
    ]

    expect(requests.map(({ url }) => url)).toEqual(
      ['daily-cloudcode-pa', 'daily-cloudcode-pa.sandbox', 'cloudcode-pa'].map(
        (host) => `https://${host}.googleapis.com/v1internal:retrieveUserQuotaSummary`,
      ),
    )
    for (const { headers, body } of requests) {
      expect(headers).toEqual({
        Authorization: 'Bearer canary',
        'Content-Type': 'application/json',
        'User-Agent': 'antigravity/cli/1.0.13 (aidev_client; os_type=darwin; arch=arm64)',
      })
      expect(body).toBe('{"project":"project-41"}')
    }
  })

  it('name no project if none is known', () => {
    expect(antigravity.quotaRequest({ ...login, vendorAccountId: null }).body).toBe('{}')
  })

  it('ask for the plan once a day, at the first host', () => {
    const request = antigravity.planQuery?.request(login)

    expect(antigravity.planQuery?.everySeconds).toBe(86_400)
    expect(request).toMatchObject({
      url: 'https://daily-cloudcode-pa.googleapis.com/v1internal:loadCodeAssist',
      body: '{"metadata":{"ideType":"ANTIGRAVITY"}}',
    })
  })

  it('stay within the budget', () => {
    expect(antigravity.politeness.budget).toEqual({
      perAccountSeconds: 900,
      apartSeconds: 0,
      pause: { firstSeconds: 1800, longestSeconds: 1800 },
      blockedPauses: false,
      revokedStops: true,
    })
  })
})

describe('the project in an entry of the list', () => {
  it.each<{ why: string; entry: unknown; id: string | null }>([
    { why: 'one', entry: { project_id: 'sample-project-41' }, id: 'sample-project-41' },
    { why: 'an empty one', entry: { project_id: '' }, id: null },
    { why: 'one that breaks a header', entry: { project_id: 'a\r\nb' }, id: null },
    { why: 'one of 128', entry: { project_id: 'x'.repeat(128) }, id: 'x'.repeat(128) },
    { why: 'one of 129', entry: { project_id: 'x'.repeat(129) }, id: null },
  ])('$why', ({ entry, id }) => {
    expect(antigravity.identityOf(entry)).toEqual({
      vendorAccountId: id,
      claimedPlan: null,
      subscribedUntil: null,
    })
  })
})

describe('the login in an auth file', () => {
  const file = { type: 'antigravity', access_token: 'ya29.token', project_id: 'project-41' }
  const login = { bearer: 'ya29.token', vendorAccountId: 'project-41', disabled: false }

  it.each<{ why: string; content: unknown; read: object | null }>([
    { why: 'whole', content: { ...file, refresh_token: 'canary' }, read: login },
    {
      why: 'without a project',
      content: { ...file, project_id: undefined },
      read: { ...login, vendorAccountId: null },
    },
    {
      why: 'with a project that is no id',
      content: { ...file, project_id: 'a b' },
      read: { ...login, vendorAccountId: null },
    },
  ])('$why', ({ content, read }) => {
    expect(antigravity.loginOf(content)).toEqual(read)
  })
})

describe('the plan', () => {
  // As recorded through the proxy.
  const recorded = {
    currentTier: { id: 'free-tier' },
    paidTier: { id: 'g1-pro-tier', availableCredits: [{ creditType: 'GOOGLE_ONE_AI' }] },
    cloudaicompanionProject: 'sample-project-41',
  }

  it.each<readonly [why: string, answer: VendorAnswer, plan: string | null]>([
    ['the paid tier', aVendorAnswer(200, recorded), 'g1-pro'],
    ['inside `response`', aVendorAnswer(200, { response: recorded }), 'g1-pro'],
    ['ultra', aVendorAnswer(200, { paidTier: { id: 'g1-ultra-tier' } }), 'g1-ultra'],
    ['the free tier alone', aVendorAnswer(200, { currentTier: { id: 'free-tier' } }), 'free'],
    ['an odd paid tier', aVendorAnswer(200, { ...recorded, paidTier: { id: 7 } }), 'free'],
    ['a tier of no suffix', aVendorAnswer(200, { paidTier: { id: 'x' } }), 'x'],
    ['a long one', aVendorAnswer(200, { paidTier: { id: 'x'.repeat(99) } }), 'x'.repeat(64)],
    ['no tier', aVendorAnswer(200, { cloudaicompanionProject: 'p' }), null],
    ['a refusal', aVendorAnswer(403, recorded), null],
    ['no document', aVendorAnswer(200, '<html>'), null],
  ])('$0', (_, answer, plan) => {
    const reading = antigravity.planQuery?.planOf(answer)

    expect(reading).toEqual(plan === null ? null : { plan, vendorIdentity: null })
  })
})

describe('an answer without quota', () => {
  const html = { 'content-type': 'text/html' }
  const refusedFor = (words: string, reason?: string) =>
    aVendorAnswer(403, googleError(403, words, reason))
  const revoked = { kind: 'auth', revoked: true }
  const failed = (code: string) => ({ kind: 'failed', code })

  it.each<readonly [why: string, answer: VendorAnswer, result: object]>([
    ['refused token', aVendorAnswer(401, {}), { kind: 'auth' }],
    // As recorded through the proxy.
    [
      'terms of service',
      refusedFor(
        'This service has been disabled in this account for violation of Terms of Service.',
        'TOS_VIOLATION',
      ),
      revoked,
    ],
    ['verification, by its reason', refusedFor('', 'VALIDATION_REQUIRED'), revoked],
    ['verification, by its words', refusedFor('Verify your account to continue.'), revoked],
    ['eligibility', refusedFor('Your account is not eligible for Antigravity.'), revoked],
    [
      'another permission',
      refusedFor('The caller does not have permission'),
      { kind: 'unavailable' },
    ],
    [
      'a client that is too old',
      refusedFor('This version of Antigravity is no longer supported.'),
      failed('unexpected_status'),
    ],
    ['403 without a reason', aVendorAnswer(403, ''), failed('unexpected_status')],
    [
      'a page, whatever its words',
      aVendorAnswer(403, '<html>verify your account</html>', html),
      { kind: 'blocked' },
    ],
    [
      'a challenge',
      aVendorAnswer(403, googleError(403, 'verify your account'), { 'cf-mitigated': 'x' }),
      { kind: 'blocked' },
    ],
    [
      'throttle',
      aVendorAnswer(429, {}, { 'retry-after': '90' }),
      { kind: 'throttled', retryAfterSeconds: 90 },
    ],
    ['another product', aVendorAnswer(404, {}), failed('unexpected_status')],
    [
      'trouble of the vendor',
      aVendorAnswer(503, googleError(503, 'verify your account')),
      failed('server_error'),
    ],
    ['garbage', aVendorAnswer(200, 'ok'), failed('bad_payload')],
  ])('%s', (_, answer, result) => {
    expect(antigravity.windowsOf(answer)).toEqual({ httpStatus: answer.status, ...result })
  })
})

it('reads no quota from headers', () => {
  const headers = { 'X-Ratelimit-Remaining-Requests': ['1'], 'Retry-After': ['5'] }
  expect(antigravity.windowsFromHeaders(headers, NOW)).toBeNull()
})
