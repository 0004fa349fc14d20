import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kimi, kimiAi } from './descriptor.ts'

const answerOf = (status: number, body: string, headers: Record<string, string> = {}) =>
  kimi.windowsOf({ status, headers: new Headers(headers), body, receivedAt: NOW })

it.each([
  { vendor: kimi, url: 'https://api.kimi.com/coding/v1/usages', endpoint: 'kimi-usages' },
  { vendor: kimiAi, url: 'https://api.kimi.ai/coding/v1/usages', endpoint: 'kimi-ai-usages' },
])('$vendor.id is asked at its own host', ({ vendor, url, endpoint }) => {
  expect(vendor.endpoint).toBe(endpoint)
  expect(vendor.quotaRequest({ bearer: 'canary', vendorAccountId: null })).toEqual({
    url,
    headers: { Authorization: 'Bearer canary', Accept: 'application/json' },
  })
})

it('is asked at most once in 10 minutes, and not at all for 10 minutes to 2 hours after a 429', () => {
  expect(kimi.politeness.budget).toEqual({
    perAccountSeconds: 600,
    apartSeconds: 0,
    pause: { firstSeconds: 600, longestSeconds: 7200 },
    blockedPauses: false,
    revokedStops: false,
  })
})

it('knows nothing of an account from the list or from headers', () => {
  expect(kimi.identityOf({ label: 'kimi', email: 'canary' })).toEqual({
    vendorAccountId: null,
    claimedPlan: null,
    subscribedUntil: null,
  })
  expect(kimi.windowsFromHeaders({ 'X-Ratelimit-Limit-Tokens': ['1'] }, NOW)).toBeNull()
})

describe('the login in an auth file', () => {
  const file = { access_token: 'token', refresh_token: 'canary', type: 'kimi' }
  const login = { bearer: 'token', vendorAccountId: null, disabled: false }

  it('belongs to the vendor of its type', () => {
    expect(kimi.loginOf(file)).toEqual(login)
    expect(kimi.loginOf({ ...file, disabled: true })).toEqual({ ...login, disabled: true })
    expect(kimiAi.loginOf({ ...file, type: 'kimi-ai' })).toEqual(login)
    expect(kimiAi.loginOf(file)).toBeNull()
  })

  it.each<{ why: string; content: unknown }>([
    { why: 'nothing', content: undefined },
    { why: 'a list', content: [file] },
    { why: 'no token', content: { type: 'kimi' } },
    { why: 'an empty token', content: { ...file, access_token: '' } },
    { why: 'a token that breaks a header', content: { ...file, access_token: 'a\r\nb' } },
    { why: 'no type', content: { access_token: 'token' } },
    { why: 'another vendor', content: { ...file, type: 'kimi-ai' } },
    { why: 'a flag that is none', content: { ...file, disabled: 'no' } },
  ])('is not there: $why', ({ content }) => {
    expect(kimi.loginOf(content)).toBeNull()
  })
})

describe('an answer of the vendor', () => {
  it('has windows', () => {
    expect(answerOf(200, '{"usage":{"limit":"100","used":"41"}}')).toMatchObject({
      kind: 'sample',
      sample: { sampledAt: NOW, windows: [{ id: 'week', percent: 59 }] },
    })
  })

  const usedUp =
    '{"error":{"message":"You\'ve reached your weekly (7-day) usage limit.","type":"access_terminated_error"}}'
  const html = { 'content-type': 'text/html' }
  const failed = { kind: 'failed', code: 'unexpected_status' }

  it.each<{ status: number; body?: string; headers?: Record<string, string>; result: object }>([
    { status: 200, body: '', result: { kind: 'failed', code: 'bad_payload', httpStatus: 200 } },
    { status: 200, body: '<html>', result: { kind: 'failed', code: 'bad_payload' } },
    { status: 200, body: '{"error":"canary"}', result: { kind: 'failed', code: 'bad_payload' } },
    {
      status: 401,
      body: '{"error":{"message":"Invalid Authentication","type":"invalid_authentication_error"}}',
      result: { kind: 'auth', httpStatus: 401 },
    },
    {
      status: 401,
      body: '{"error":{"message":"The token has been revoked"}}',
      result: { kind: 'auth', httpStatus: 401, revoked: true },
    },
    { status: 402, body: usedUp, result: { ...failed, httpStatus: 402 } },
    { status: 403, body: usedUp, result: { ...failed, httpStatus: 403 } },
    {
      status: 403,
      body: '{"error":{"message":"permission denied","type":"access_terminated_error"}}',
      result: failed,
    },
    { status: 403, body: '{"error":{"message":"Missing scope"}}', result: { kind: 'unavailable' } },
    { status: 403, body: '{"error":{"message":"try later"}}', result: failed },
    { status: 403, body: 'scope', headers: html, result: { kind: 'blocked', httpStatus: 403 } },
    {
      status: 401,
      body: '{"error":"invalid_grant"}',
      headers: { 'cf-mitigated': 'challenge' },
      result: { kind: 'blocked', httpStatus: 401 },
    },
    { status: 404, body: 'not found', result: { kind: 'unavailable', httpStatus: 404 } },
    {
      status: 429,
      headers: { 'retry-after': '30' },
      result: { kind: 'throttled', httpStatus: 429, retryAfterSeconds: 30 },
    },
    { status: 500, body: usedUp, result: { kind: 'failed', code: 'server_error' } },
    { status: 302, body: 'no permission', result: failed },
  ])('of $status $body is $result.kind', ({ status, body = '', headers, result }) => {
    const read = answerOf(status, body, headers)

    expect(read).toMatchObject(result)
    expect('revoked' in read).toBe('revoked' in result)
  })

  it('never throws', () => {
    const status = fc.constantFrom(200, 401, 402, 403, 404, 429, 500)
    const body = fc.oneof(fc.json(), fc.string())
    fc.assert(
      fc.property(status, body, (httpStatus, text) => {
        answerOf(httpStatus, text)
        kimi.readStatusMessage(text, null)
        kimi.refusalIn({ httpStatus, body: text }, NOW)
      }),
    )
  })
})
