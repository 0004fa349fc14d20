import { epochMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { readStatusMessage, refusalIn } from './descriptor.ts'

const error = (type: string, message = '') =>
  JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_1' })

const revokedText = 'OAuth token has been revoked. Please obtain a new token.'
const expiredText =
  'OAuth token has expired. Please obtain a new token or refresh your existing token.'
const scopeText = 'OAuth token does not meet scope requirement user:profile'

const revoked = { kind: 'auth_fault', code: 'token_revoked', deactivated: false }
const fault = (code: string) => ({ kind: 'auth_fault', code, deactivated: false })
const suspected = (code: string) => ({ ...fault(code), suspected: true })

describe('a message of the proxy', () => {
  it.each<readonly [why: string, text: string, message: object]>([
    ['none', '', { kind: 'none' }],
    ['expired', error('authentication_error', expiredText), suspected('authentication_error')],
    [
      'no reason',
      error('authentication_error', 'Invalid authentication credentials'),
      suspected('authentication_error'),
    ],
    ['revoked', error('authentication_error', revokedText), revoked],
    ['revoked in a code', '{"error":"token_revoked"}', fault('token_revoked')],
    [
      'the token endpoint',
      '{"error":"invalid_grant","error_description":"Refresh token not found"}',
      fault('invalid_grant'),
    ],
    ['the proxy’s word for it', 'invalid_grant', fault('invalid_grant')],
    ['the proxy’s 401', 'unauthorized', suspected('unauthorized')],
    ['the proxy’s 402 and 403', 'payment_required', { kind: 'other' }],
    ['a limit', error('rate_limit_error', 'x'), { kind: 'quota' }],
    ['the proxy’s 429', 'quota exhausted', { kind: 'quota' }],
    ['a scope', error('permission_error', scopeText), { kind: 'other' }],
    ['overload', error('overloaded_error', revokedText), { kind: 'other' }],
    ['prose', 'rate_limit_error and revoked', { kind: 'other' }],
    ['a page', '<html>revoked</html>', { kind: 'blocked' }],
    ['a challenge', 'cloudflare challenge', { kind: 'blocked' }],
  ])('about $0', (_, text, message) => {
    expect(readStatusMessage(text, NOW)).toEqual(message)
  })
})

const inSeconds = (seconds: number) => String(Math.floor(NOW / 1000) + seconds)
const atSeconds = (seconds: number) => epochMs((Math.floor(NOW / 1000) + seconds) * 1000)
const unified = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`Anthropic-Ratelimit-Unified-${name}`, [value]]),
  )
const limitBody = error('rate_limit_error', 'This request would exceed your account’s rate limit.')

describe('a request refused with 429', () => {
  const allowed = {
    Status: 'rejected',
    Reset: inSeconds(9000),
    '5h-Status': 'allowed',
    '5h-Utilization': '0.12',
    '5h-Reset': inSeconds(9000),
    '7d-Status': 'allowed_warning',
    '7d-Utilization': '0.9',
    '7d-Reset': inSeconds(400_000),
    'Overage-Status': 'rejected',
    'Overage-Reset': inSeconds(1_000_000),
  }
  const premium = { '7d_oi-Status': 'rejected', '7d_oi-Reset': inSeconds(500_000) }
  const refusal = (fields: Readonly<Record<string, string>>) =>
    refusalIn({ httpStatus: 429, body: limitBody, headers: unified(fields) }, NOW)
  const until = (seconds: number) => ({
    kind: 'usage_limit',
    resetsAt: atSeconds(seconds),
    observedAt: NOW,
  })

  it.each<{ why: string; fields: Readonly<Record<string, string>>; message: object | null }>([
    { why: 'the 5h window', fields: { '5h-Status': 'rejected' }, message: until(9000) },
    { why: 'the week', fields: { '7d-Status': 'rejected' }, message: until(400_000) },
    {
      why: 'both, for as long as the later one',
      fields: { '5h-Status': 'rejected', '7d-Status': 'rejected' },
      message: until(400_000),
    },
    {
      why: 'the 5h window, whatever the premium model has left',
      fields: { '5h-Status': 'rejected', ...premium },
      message: until(9000),
    },
    { why: 'nothing of the account but the premium model', fields: premium, message: null },
    { why: 'nothing but Opus', fields: { '7d_opus-Status': 'rejected' }, message: null },
    { why: 'no window', fields: {}, message: { kind: 'quota' } },
    {
      why: 'the window that the answer names',
      fields: { '5h-Status': '', 'Representative-Claim': 'five_hour' },
      message: until(9000),
    },
    {
      why: 'a window without a reset',
      fields: { '5h-Status': 'rejected', '5h-Reset': '' },
      message: { kind: 'quota' },
    },
    {
      why: 'a window that has reset',
      fields: { '5h-Status': 'rejected', '5h-Reset': inSeconds(-60) },
      message: { kind: 'quota' },
    },
    {
      why: 'a window whose use, but not status, says so',
      fields: { '5h-Utilization': '1.02' },
      message: { kind: 'quota' },
    },
  ])('is refused by $why', ({ fields, message }) => {
    expect(refusal({ ...allowed, ...fields })).toEqual(message)
  })

  it.each<{ why: string; headers: unknown }>([
    { why: 'undefined', headers: undefined },
    { why: 'others', headers: { 'Retry-After': ['0'] } },
  ])('with headers of $why is a limit without a time', ({ headers }) => {
    expect(refusalIn({ httpStatus: 429, body: limitBody, headers }, NOW)).toEqual({ kind: 'quota' })
    expect(refusalIn({ httpStatus: 429, body: '' }, NOW)).toEqual({ kind: 'quota' })
  })
})

describe('a request refused with another status', () => {
  it.for<readonly [why: string, httpStatus: number, body: string, message?: object | null]>([
    ['a revoked login', 401, error('authentication_error', revokedText), revoked],
    ['a revoked login, as a 403', 403, error('permission_error', revokedText), revoked],
    [
      'an expired token',
      401,
      error('authentication_error', expiredText),
      suspected('authentication_error'),
    ],
    ['a 401 without a body', 401, '', suspected('unauthorized')],
    ['a 401 of another type', 401, error('api_error'), suspected('unauthorized')],
    ['a page', 401, '<html>revoked</html>'],
    ['a scope', 403, error('permission_error', scopeText)],
    ['a 403 in words of a 401', 403, error('authentication_error')],
    ['a page that forbids', 403, '<html>revoked</html>'],
    ['a bad request', 400, error('invalid_request_error', revokedText)],
    ['no such model', 404, error('not_found_error')],
    ['overload', 529, error('overloaded_error')],
    ['a limit as a 500', 500, limitBody],
    ['no answer', 0, ''],
  ])('$0', ([, httpStatus, body, message = null]) => {
    const headers = unified({ '5h-Status': 'rejected', '5h-Reset': inSeconds(60) })

    expect(refusalIn({ httpStatus, body, headers }, NOW)).toEqual(message)
  })
})
