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
  it.each<{ why: string; text: string; message: object }>([
    { why: 'none', text: ' ', message: { kind: 'none' } },
    { why: 'a page', text: '<html>verify your account</html>', message: { kind: 'blocked' } },
    { why: 'an empty pool', text: exhausted(flash), message: { kind: 'other' } },
    { why: "the proxy's word for it", text: 'quota exhausted', message: { kind: 'other' } },
    { why: 'terms of service', text: terms, message: fault('tos_violation', true) },
    {
      why: 'terms of service without the reason',
      text: errorOf(403, 'Disabled for violation of Terms of Service.'),
      message: fault('tos_violation', true),
    },
    {
      why: 'verification',
      text: errorOf(403, 'Verify your account', { reason: 'VALIDATION_REQUIRED' }),
      message: fault('validation_required'),
    },
    {
      why: 'eligibility, in a stream',
      text: `[${errorOf(403, 'You are not eligible for this tier.')}]`,
      message: fault('not_eligible'),
    },
    { why: 'another 403', text: errorOf(403, 'No permission'), message: { kind: 'other' } },
    {
      why: 'words of a block in another error',
      text: errorOf(429, 'Verify your account for more quota'),
      message: { kind: 'other' },
    },
    { why: 'words of a block in prose', text: 'verify your account', message: { kind: 'other' } },
    { why: 'a refused token', text: unauthenticated, message: suspected },
    { why: "the proxy's word for it", text: 'unauthorized', message: suspected },
    {
      why: 'a refused refresh',
      text: '{"error":"auth token refresh failed"}',
      message: suspected,
    },
    { why: 'a refused refresh as text', text: 'auth token refresh failed', message: suspected },
    {
      why: 'a revoked refresh token',
      text: '{"error":"invalid_grant","error_description":"Token has been expired or revoked."}',
      message: fault('invalid_grant'),
    },
    { why: "the proxy's word for a 403", text: 'payment_required', message: { kind: 'other' } },
    { why: 'trouble of the vendor', text: NO_CAPACITY, message: { kind: 'other' } },
    {
      why: 'an error of another shape',
      text: '{"error":{"toString":1}}',
      message: { kind: 'other' },
    },
  ])('$why', ({ text, message }) => {
    expect(readStatusMessage(text, NOW)).toEqual(message)
  })
})

describe('a failed request', () => {
  it.each<{ why: string; httpStatus: number; body: string; refusal: object | null }>([
    {
      why: 'terms of service',
      httpStatus: 403,
      body: terms,
      refusal: fault('tos_violation', true),
    },
    { why: 'another 403', httpStatus: 403, body: errorOf(403, 'No permission'), refusal: null },
    { why: 'a page', httpStatus: 403, body: '<html>', refusal: null },
    { why: 'a refused token', httpStatus: 401, body: unauthenticated, refusal: suspected },
    { why: '401 without words', httpStatus: 401, body: '', refusal: suspected },
    {
      why: 'a refused refresh',
      httpStatus: 400,
      body: '{"error":"auth token refresh failed"}',
      refusal: suspected,
    },
    {
      why: 'a revoked refresh token',
      httpStatus: 400,
      body: '{"error":"invalid_grant"}',
      refusal: fault('invalid_grant'),
    },
    { why: 'a bad request', httpStatus: 400, body: errorOf(400, 'Bad field'), refusal: null },
    { why: 'an empty pool', httpStatus: 429, body: exhausted(flash), refusal: null },
    { why: 'a plain throttle', httpStatus: 429, body: '', refusal: null },
    { why: 'a missing model', httpStatus: 404, body: errorOf(404, 'Not found'), refusal: null },
    { why: 'no capacity', httpStatus: 503, body: NO_CAPACITY, refusal: null },
    { why: 'trouble that quotes a refusal', httpStatus: 500, body: unauthenticated, refusal: null },
  ])('$why', ({ httpStatus, body, refusal }) => {
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

  it.each<{ why: string; metadata: object; at?: null; resetAt: number | null }>([
    {
      why: 'by its length alone',
      metadata: { model, quotaResetDelay },
      resetAt: plusMs(NOW, (108 * 3600 + 48 * 60 + 20.79) * 1000),
    },
    {
      why: 'by a length since an unknown time',
      metadata: { model, quotaResetDelay },
      at: null,
      resetAt: null,
    },
    { why: 'by its time since an unknown time', metadata: flash, at: null, resetAt },
    { why: 'without a time', metadata: { model }, resetAt: null },
    {
      why: 'of nonsense',
      metadata: { model, quotaResetTimeStamp: 'soon', quotaResetDelay: 7 },
      resetAt: null,
    },
    {
      why: 'beyond all dates',
      metadata: { model, quotaResetDelay: '999999999999h' },
      resetAt: null,
    },
  ])('ends $why', ({ metadata, at, resetAt: end }) => {
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
