import type { StatusMessage } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { aVendorAnswer } from '../../testing/vendor-answers.ts'
import { kimi, kimiAi, readStatusMessage, refusalIn } from './descriptor.ts'

const answerOf = (...of: Parameters<typeof aVendorAnswer>) => kimi.windowsOf(aVendorAnswer(...of))

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

describe('the login in an auth file', () => {
  const file = { access_token: 'token', refresh_token: 'canary', type: 'kimi' }
  const login = { bearer: 'token', vendorAccountId: null, disabled: false }

  it('belongs to the vendor of its type', () => {
    expect(kimi.loginOf(file)).toEqual(login)
    expect(kimi.loginOf({ ...file, disabled: true })).toEqual({ ...login, disabled: true })
    expect(kimiAi.loginOf({ ...file, type: 'kimi-ai' })).toEqual(login)
    expect(kimiAi.loginOf(file)).toBeNull()
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
})

const quota: StatusMessage = { kind: 'quota' }
const planUsedUp: StatusMessage = { kind: 'quota', planUsedUp: true }
const suspected = { kind: 'auth_fault', deactivated: false, suspected: true } as const
const revoked: StatusMessage = { kind: 'auth_fault', code: 'token_revoked', deactivated: false }
const errorOf = (message: string, type?: string) => JSON.stringify({ error: { message, type } })

const weekUsedUp = errorOf(
  "You've reached your weekly (7-day) usage limit. Your quota will be refreshed in 3 days.",
  'access_terminated_error',
)
const cycleUsedUp = errorOf(
  "You've reached your usage limit for this billing cycle",
  'rate_limit_reached_error',
)
const expired = errorOf('Invalid Authentication', 'invalid_authentication_error')

describe('a message of the proxy', () => {
  it.each<{ text: string; message: StatusMessage | object }>([
    { text: '', message: { kind: 'none' } },
    { text: '<html>revoked</html>', message: { kind: 'blocked' } },
    { text: weekUsedUp, message: planUsedUp },
    { text: errorOf('permission denied', 'access_terminated_error'), message: planUsedUp },
    { text: errorOf('Usage limit for this billing cycle'), message: planUsedUp },
    { text: "You've reached your weekly usage limit", message: planUsedUp },
    { text: cycleUsedUp, message: quota },
    { text: errorOf('Insufficient balance'), message: quota },
    { text: 'quota exhausted', message: quota },
    { text: 'payment_required', message: quota },
    { text: expired, message: suspected },
    { text: 'unauthorized', message: suspected },
    { text: errorOf('x', 'authentication_error'), message: suspected },
    { text: '{"error":"invalid_grant"}', message: revoked },
    { text: 'invalid_grant', message: revoked },
    { text: errorOf('This token was revoked.', 'invalid_authentication_error'), message: revoked },
    { text: 'account_deactivated', message: { kind: 'auth_fault', deactivated: true } },
    { text: errorOf('permission denied', 'permission_error'), message: { kind: 'other' } },
    { text: errorOf('The access_terminated_error of another'), message: { kind: 'other' } },
    { text: '[]', message: { kind: 'other' } },
    { text: 'null', message: { kind: 'other' } },
    { text: '{"error":{"message":["usage limit"],"code":7}}', message: { kind: 'other' } },
    { text: 'model not found', message: { kind: 'other' } },
  ])('$text', ({ text, message }) => {
    const read = readStatusMessage(text, NOW)

    expect(read).toMatchObject(message)
    expect('suspected' in read).toBe('suspected' in message)
    expect('planUsedUp' in read).toBe('planUsedUp' in message)
  })
})

describe('a failed request', () => {
  it.each<{ httpStatus: number; body: string; verdict: object | null }>([
    { httpStatus: 401, body: expired, verdict: suspected },
    { httpStatus: 401, body: '', verdict: suspected },
    { httpStatus: 401, body: weekUsedUp, verdict: suspected },
    { httpStatus: 401, body: '{"error":"invalid_grant"}', verdict: revoked },
    { httpStatus: 402, body: weekUsedUp, verdict: planUsedUp },
    { httpStatus: 402, body: '', verdict: null },
    { httpStatus: 403, body: weekUsedUp, verdict: planUsedUp },
    { httpStatus: 403, body: errorOf('x', 'access_terminated_error'), verdict: planUsedUp },
    { httpStatus: 403, body: errorOf('x', 'authentication_error'), verdict: null },
    { httpStatus: 403, body: errorOf('The login was revoked.'), verdict: revoked },
    { httpStatus: 403, body: '<html>usage limit</html>', verdict: null },
    { httpStatus: 403, body: '', verdict: null },
    { httpStatus: 429, body: cycleUsedUp, verdict: quota },
    { httpStatus: 429, body: expired, verdict: quota },
    { httpStatus: 400, body: weekUsedUp, verdict: null },
    { httpStatus: 500, body: weekUsedUp, verdict: null },
    { httpStatus: 0, body: '', verdict: null },
  ])('$httpStatus $body', ({ httpStatus, body, verdict }) => {
    const read = refusalIn({ httpStatus, body }, NOW)

    if (verdict === null) expect(read).toBeNull()
    else expect(read).toMatchObject(verdict)
    if (verdict === quota) expect(read).toEqual(quota)
  })
})
