import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromNow, NOW } from '../testing/builders.ts'
import { readStatusMessage, type StatusMessage } from './status-message.ts'
import { epochMs, instantToIso } from './time.ts'

const fault = (code: string, deactivated = false): StatusMessage => ({
  kind: 'auth_fault',
  code,
  deactivated,
})
const RESETS_AT_S = NOW / 1000 + 9000
const resetsAt = fromNow(9000)

const other = { kind: 'other' } as const
const blocked = { kind: 'blocked' } as const
const quota = { kind: 'quota' } as const

describe('reads', () => {
  it.each<readonly [why: string, text: string, expected: StatusMessage]>([
    ['nothing', '', { kind: 'none' }],
    ['blanks', ' \n', { kind: 'none' }],

    // Permanent auth faults, each as the whole message.
    ...[
      'unauthorized',
      'invalid_grant',
      'authentication_error',
      'auth_unavailable',
      'token_invalidated',
      'token_revoked',
    ].map((code) => ['a permanent fault', code, fault(code)] as const),
    ...['refresh_token_expired', 'refresh_token_reused', 'refresh_token_invalidated'].map(
      (code) => ['any refresh-token fault', code, fault(code)] as const,
    ),
    ...['account_deactivated', 'deactivated_workspace', 'payment_required'].map(
      (code) => ['a deactivation', code, fault(code, true)] as const,
    ),
    ['a code in other letters', ' Unauthorized\n', fault('unauthorized')],

    // The same codes as fields of a JSON body.
    [
      'what the proxy makes of a 401',
      '{"error":{"message":"Your authentication token has been invalidated.","type":"authentication_error","code":"auth_unavailable"}}',
      fault('auth_unavailable'),
    ],
    [
      'a vendor 401',
      '{"error":{"message":"…","type":"invalid_request_error","code":"token_invalidated"}}',
      fault('token_invalidated'),
    ],
    [
      'a vendor 402',
      '{"detail":{"code":"deactivated_workspace"}}',
      fault('deactivated_workspace', true),
    ],
    [
      'a token endpoint',
      '{"error":"invalid_grant","error_description":"…"}',
      fault('invalid_grant'),
    ],
    ['a code at the top', '{"code":"token_revoked"}', fault('token_revoked')],
    [
      'a detail that is the code',
      '{"detail":"account_deactivated"}',
      fault('account_deactivated', true),
    ],

    // Not permanent: the proxy refreshes such a token.
    ['an expired token', 'token_expired', other],
    [
      'an expired token in JSON',
      '{"error":{"type":"invalid_request_error","code":"token_expired"}}',
      other,
    ],

    // Codes within prose, a page, a message text or an unknown field do not count.
    ['prose that starts with a code', 'unauthorized: please log in again', other],
    [
      'prose that starts with a refresh-token code',
      'refresh_token_reused was seen on another machine',
      other,
    ],
    ['prose that quotes a code', 'the request failed with invalid_grant', other],
    ['a code in the message field', '{"error":{"message":"unauthorized"}}', other],
    ['a code in a field of another name', '{"error":{"param":"payment_required"}}', other],
    ['a code as a key', '{"unauthorized":true}', other],
    ['a code behind broken JSON', '{"error":"invalid_grant"', other],
    ['a code in a list', '["unauthorized"]', other],
    [
      'a dead network',
      'Post "https://vendor.example/responses": dial tcp 127.0.0.1:9: connect: connection refused',
      other,
    ],
    ['a server fault', '{"error":{"message":"server error"}}', other],
    ['the proxy’s word for one', 'transient upstream error', other],

    // Pages.
    ['a page', '<html><title>Just a moment...</title></html>', blocked],
    [
      'a page that quotes a code',
      '<!DOCTYPE html><p>unauthorized payment_required usage_limit_reached',
      blocked,
    ],
    ['the proxy’s word for one', 'cloudflare challenge', blocked],

    // Used up without a time.
    ['a cooldown restored after a restart', 'quota', quota],
    ['a model-less 429', 'quota exhausted', quota],
    ['a vendor code for it', '{"error":{"code":"insufficient_quota"}}', quota],
    ['a limit that names no time', '{"error":{"type":"usage_limit_reached"}}', quota],

    // Used up until a time.
    [
      'a usage limit',
      `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_at":${RESETS_AT_S},"resets_in_seconds":9600}}`,
      { kind: 'usage_limit', resetsAt, observedAt: fromNow(-600) },
    ],
    [
      'one in milliseconds',
      `{"error":{"type":"usage_limit_reached","resets_at":${resetsAt}}}`,
      { kind: 'usage_limit', resetsAt, observedAt: NOW },
    ],
    [
      'one with a length only',
      '{"error":{"type":"usage_limit_reached","resets_in_seconds":9000}}',
      { kind: 'usage_limit', resetsAt, observedAt: NOW },
    ],
    [
      'one with an unusable time',
      '{"error":{"type":"usage_limit_reached","resets_at":"soon","resets_in_seconds":null}}',
      quota,
    ],
    [
      'one that resets beyond all dates',
      '{"error":{"type":"usage_limit_reached","resets_at":1e20}}',
      quota,
    ],
  ])('%s: %s', (_, text, expected) => {
    expect(readStatusMessage(text, NOW)).toEqual(expected)
  })

  it('takes 64 KiB for a message and more for a document', () => {
    const body = (padding: number) => `{"error":"invalid_grant","pad":"${'x'.repeat(padding)}"}`
    const frame = body(0).length

    expect(readStatusMessage(body(64 * 1024 - frame), NOW)).toEqual(fault('invalid_grant'))
    expect(readStatusMessage(body(64 * 1024 - frame + 1), NOW)).toEqual(other)
  })

  it('knows no time of a limit when the message has none itself', () => {
    expect(
      readStatusMessage('{"error":{"type":"usage_limit_reached","resets_in_seconds":9000}}', null),
    ).toEqual(quota)
    expect(
      readStatusMessage(
        `{"error":{"type":"usage_limit_reached","resets_at":${RESETS_AT_S}}}`,
        null,
      ),
    ).toEqual({
      kind: 'usage_limit',
      resetsAt,
      observedAt: null,
    })
  })
})

describe('whatever the proxy sends', () => {
  const anyNumber = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.constantFrom(0, -1, 1e11, 8.64e15, 1e300),
  )
  const anyBody = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record(
        {
          type: fc.constantFrom('usage_limit_reached', 'x'),
          resets_at: anyNumber,
          resets_in_seconds: anyNumber,
        },
        { requiredKeys: ['type'] },
      )
      .map((error) => JSON.stringify({ error })),
  )

  it('reading neither throws nor makes a time that cannot be written', () => {
    fc.assert(
      fc.property(anyBody, fc.option(fc.integer({ min: 0, max: 4e12 })), (text, at) => {
        const message = readStatusMessage(text, at === null ? null : epochMs(at))
        if (message.kind !== 'usage_limit') return
        instantToIso(message.resetsAt)
        if (message.observedAt !== null) instantToIso(message.observedAt)
      }),
      { numRuns: 1000 },
    )
  })

  it('no text of it is kept', () => {
    const text = `refresh_token_${'secret '.repeat(20)}`
    expect(JSON.stringify(readStatusMessage(text, NOW))).not.toContain('secret')
    expect(
      JSON.stringify(readStatusMessage(JSON.stringify({ code: text, message: text }), NOW)),
    ).not.toContain('secret')
  })
})
