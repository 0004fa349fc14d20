import { parseInstant, plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { readStatusMessage, refusalIn, scopedLimitIn } from './google-error.ts'

const errorOf = (code: number, message: string, ...details: object[]) =>
  JSON.stringify({ error: { code, message, status: 'PERMISSION_DENIED', details } })
/** A used-up quota, in the form that usage records and the account list have. */
const exhausted = (metadata: object, reason = 'QUOTA_EXHAUSTED') =>
  JSON.stringify({
    error: {
      code: 429,
      message:
        'You have exhausted your capacity on this model. Your quota will reset after 108h48m20s.',
      status: 'RESOURCE_EXHAUSTED',
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, metadata },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '391700.79s' },
      ],
    },
  })
const flash = {
  model: 'gemini-3-flash',
  quotaResetDelay: '108h48m20.79s',
  quotaResetTimeStamp: '2026-11-28T07:50:28.000Z',
}
const terms = errorOf(
  403,
  'This service has been disabled in this account for violation of Terms of Service.',
  { reason: 'TOS_VIOLATION', metadata: {} },
)
const unauthenticated = errorOf(401, 'Request had invalid authentication credentials.')
const NO_CAPACITY = errorOf(503, 'No capacity available')

const suspected = { kind: 'auth_fault', code: 'unauthorized', deactivated: false, suspected: true }
const fault = (code: string, deactivated = false) => ({ kind: 'auth_fault', code, deactivated })

describe("the vendor's message", () => {
  it.each<readonly [why: string, text: string, message: object]>([
    ['none', ' ', { kind: 'none' }],
    ['a page', '<html>verify your account</html>', { kind: 'blocked' }],
    ['an empty pool', exhausted(flash), { kind: 'other' }],
    ["the proxy's word for it", 'quota exhausted', { kind: 'other' }],
    ['terms of service', terms, fault('tos_violation', true)],
    [
      'terms of service without the reason',
      errorOf(403, 'Disabled for violation of Terms of Service.'),
      fault('tos_violation', true),
    ],
    [
      'verification',
      errorOf(403, 'Verify your account', { reason: 'VALIDATION_REQUIRED' }),
      fault('validation_required'),
    ],
    [
      'eligibility, in a stream',
      `[${errorOf(403, 'You are not eligible for this tier.')}]`,
      fault('not_eligible'),
    ],
    ['another 403', errorOf(403, 'No permission'), { kind: 'other' }],
    [
      'words of a block in another error',
      errorOf(429, 'Verify your account for more quota'),
      { kind: 'other' },
    ],
    ['words of a block in prose', 'verify your account', { kind: 'other' }],
    ['a refused token', unauthenticated, suspected],
    ["the proxy's word for it", 'unauthorized', suspected],
    ['a refused refresh', '{"error":"auth token refresh failed"}', suspected],
    ['a refused refresh as text', 'auth token refresh failed', suspected],
    [
      'a revoked refresh token',
      '{"error":"invalid_grant","error_description":"Token has been expired or revoked."}',
      fault('invalid_grant'),
    ],
    ["the proxy's word for a 403", 'payment_required', { kind: 'other' }],
    ['trouble of the vendor', NO_CAPACITY, { kind: 'other' }],
    ['an error of another shape', '{"error":{"toString":1}}', { kind: 'other' }],
  ])('$0', (_, text, message) => {
    expect(readStatusMessage(text, NOW)).toEqual(message)
  })
})

describe('a failed request', () => {
  it.for<readonly [why: string, httpStatus: number, body: string, refusal?: object | null]>([
    ['terms of service', 403, terms, fault('tos_violation', true)],
    ['another 403', 403, errorOf(403, 'No permission')],
    ['a page', 403, '<html>'],
    ['a refused token', 401, unauthenticated, suspected],
    ['401 without words', 401, '', suspected],
    ['a refused refresh', 400, '{"error":"auth token refresh failed"}', suspected],
    ['a revoked refresh token', 400, '{"error":"invalid_grant"}', fault('invalid_grant')],
    ['a bad request', 400, errorOf(400, 'Bad field')],
    ['an empty pool', 429, exhausted(flash)],
    ['a plain throttle', 429, ''],
    ['a missing model', 404, errorOf(404, 'Not found')],
    ['no capacity', 503, NO_CAPACITY],
    ['trouble that quotes a refusal', 500, unauthenticated],
  ])('$0', ([, httpStatus, body, refusal = null]) => {
    expect(refusalIn({ httpStatus, body }, NOW)).toEqual(refusal)
  })
})

describe('the empty pool in a refusal', () => {
  const resetAt = parseInstant('2026-11-28T07:50:28.000Z')
  const { model, quotaResetDelay } = flash

  it('is that of the model, until its time', () => {
    expect(scopedLimitIn(exhausted(flash), NOW)).toEqual({
      scope: 'gemini',
      models: ['gemini-3-flash'],
      resetAt,
    })
  })

  it.each([
    { model: 'gemini-3.1-pro-high', scope: 'gemini' },
    { model: 'claude-opus-4-6-thinking', scope: '3p' },
    { model: 'gpt-oss-120b-medium', scope: '3p' },
    { model: 'Claude-Opus', scope: '3p' },
    { model: 'geminix', scope: undefined },
    { model: 'tab-flash', scope: undefined },
    { model: '', scope: undefined },
    { model: undefined, scope: undefined },
    { model: { toString: 1 }, scope: undefined },
  ])('of $model is $scope', ({ model: named, scope }) => {
    expect(scopedLimitIn(exhausted({ ...flash, model: named }), NOW)?.scope).toBe(scope)
  })

  it.for<readonly [why: string, metadata: object, resetAt?: number | null, at?: null]>([
    [
      'by its length alone',
      { model, quotaResetDelay },
      plusMs(NOW, (108 * 3600 + 48 * 60 + 20.79) * 1000),
    ],
    ['by a length since an unknown time', { model, quotaResetDelay }, null, null],
    ['by its time since an unknown time', flash, resetAt, null],
    ['without a time', { model }],
    ['of nonsense', { model, quotaResetTimeStamp: 'soon', quotaResetDelay: 7 }],
    ['beyond all dates', { model, quotaResetDelay: '999999999999h' }],
  ])('ends $0', ([, metadata, end = null, at]) => {
    expect(scopedLimitIn(exhausted(metadata), at === null ? null : NOW)?.resetAt).toBe(end)
  })

  it.each<{ why: string; body: string }>([
    { why: 'a rate without a time', body: exhausted({ model }, 'RATE_LIMIT_EXCEEDED') },
    { why: 'no metadata', body: errorOf(429, 'x') },
    {
      why: 'another refusal',
      body: errorOf(403, 'x', { reason: 'QUOTA_EXHAUSTED', metadata: flash }),
    },
    { why: 'no document', body: 'RESOURCE_EXHAUSTED gemini-3-flash' },
    { why: 'nothing', body: '' },
  ])('is not known: $why', ({ body }) => {
    expect(scopedLimitIn(body, NOW)).toBeNull()
  })

  it('may be told by a limit of the rate with a time', () => {
    expect(scopedLimitIn(exhausted(flash, 'RATE_LIMIT_EXCEEDED'), NOW)?.resetAt).toBe(resetAt)
  })
})
