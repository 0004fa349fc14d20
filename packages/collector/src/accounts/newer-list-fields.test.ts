import type { EpochMs } from '@svc/core'
import type { StatusMessage } from '@svc/core/service'
import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { listedCooldownIn, listedQuotaIn, readRefusal } from './newer-list-fields.ts'

/** The proxy's clock is ten seconds ahead. */
const onOurs = (instant: EpochMs) => fromNow((instant - NOW) / 1000 - 10)
const at = (seconds: number) => new Date(NOW + seconds * 1000).toISOString()
const wait = (reason: unknown, seconds: number, scope = 'credential') => ({
  scope,
  reason,
  retry_at: at(seconds),
})

describe('the cooldowns of an entry', () => {
  it.each<readonly [why: string, wire: unknown, found: ReturnType<typeof listedCooldownIn>]>([
    ['are unknown without the field', undefined, null],
    ['are unknown at a proxy that keeps none', null, null],
    ['are unknown in another form', {}, null],
    ['may be none', [], 'none'],
    ['of a model are none', [wait('quota', 60, 'model')], 'none'],
    ['that have ended are none', [wait('quota', 10)], 'none'],
    ['without a time are none', [{ scope: 'credential', reason: 'quota' }], 'none'],
    ['that are nonsense are none', [7, null, []], 'none'],
    [
      'of the login end by our clock',
      [wait('quota', 60, 'model'), wait('unauthorized', 40)],
      { reason: 'unauthorized', until: fromNow(30) },
    ],
    [
      'are the one that ends last',
      [wait('quota', 60), wait('credential_quota', 90), wait('unknown', 70)],
      { reason: 'credential_quota', until: fromNow(80) },
    ],
    ['may have no reason', [wait(7, 60)], { reason: 'unknown', until: fromNow(50) }],
  ])('%s', (_, wire, found) => {
    expect(listedCooldownIn(wire, NOW, onOurs)).toEqual(found)
  })
})

describe('the reason of a cooldown', () => {
  const until = fromNow(600)
  const fault = (code: string, more: object = {}): StatusMessage => ({
    kind: 'auth_fault',
    code,
    deactivated: false,
    ...more,
  })
  const limit: StatusMessage = { kind: 'usage_limit', resetsAt: until, observedAt: NOW }
  const suspected = fault('unauthorized', { suspected: true })
  const revoked = '{"error":{"type":"authentication_error","message":"token revoked"}}'
  const ended = '{"error":{"message":"This organization has been disabled."}}'
  const plainLimit = '{"error":{"type":"rate_limit_error"}}'

  type Row = readonly [
    provider: string,
    reason: string | null,
    message: StatusMessage,
    text?: string,
  ]
  const rows: readonly Row[] = [
    ['claude', 'credential_quota', limit],
    ['claude', 'quota', limit, plainLimit],
    ['codex', 'quota', limit],
    ['claude', 'unauthorized', suspected],
    ['kimi', 'unauthorized', suspected],
    ['acme', 'unauthorized', suspected],
    ['codex', 'unauthorized', fault('unauthorized')],
    ['claude', 'unauthorized', fault('token_revoked'), revoked],
    ['claude', 'invalid_grant', fault('invalid_grant')],
    ['acme', 'invalid_grant', fault('invalid_grant')],
    ['kimi', 'payment_required', { kind: 'quota', planUsedUp: true }],
    ['kimi-ai', 'payment_required', { kind: 'quota', planUsedUp: true }],
    ['xai', 'payment_required', { kind: 'quota', planUsedUp: true }],
    ['claude', 'payment_required', { kind: 'other' }],
    ['codex', 'payment_required', fault('payment_required', { deactivated: true })],
    ['claude', 'payment_required', fault('account_ended', { deactivated: true }), ended],
    ['xai', 'payment_required', fault('account_ended', { deactivated: true }), ended],
    ['acme', null, fault('account_ended', { deactivated: true }), ended],
    ['xai', 'cloudflare_challenge', { kind: 'blocked' }],
    ['claude', 'transient_error', { kind: 'none' }],
    ['claude', 'of a later version', { kind: 'other' }, 'whatever'],
    // The login as a whole does not wait: the limit was of a model.
    ['claude', null, { kind: 'other' }, plainLimit],
    ['claude', null, fault('token_revoked'), revoked],
    ['codex', null, { kind: 'none' }],
  ]
  it.each(
    rows.map(([provider, reason, message, text = '']) => ({ provider, reason, message, text })),
  )('of $provider: $reason, $text', ({ provider, reason, message, text }) => {
    const cooldown = reason === null ? 'none' : { reason, until }

    expect(readRefusal({ provider, text, cooldown }, NOW)).toEqual(message)
  })

  it('is guessed from the message where the proxy lists none', () => {
    const of = { provider: 'claude', text: plainLimit, cooldown: null }

    expect(readRefusal(of, NOW)).toEqual({ kind: 'quota' })
  })
})

describe('the quota of an entry', () => {
  const signals = {
    'Anthropic-Ratelimit-Unified-5h-Status': 'allowed',
    'Anthropic-Ratelimit-Unified-5h-Utilization': '0.08',
  }
  const read = (wire: unknown, provider = 'claude') => listedQuotaIn(wire, provider, NOW, onOurs)

  it('is that of the last answer, dated by our clock, never ahead of it', () => {
    expect(read({ observed_at: at(0), signals })).toMatchObject({
      origin: 'headers',
      sampledAt: fromNow(-10),
      windows: [{ id: '5h', percent: 92 }],
    })
    expect(read({ observed_at: at(900), signals })?.sampledAt).toBe(NOW)
  })

  it.each([
    undefined,
    null,
    [],
    {},
    { signals },
    { observed_at: at(0) },
    { observed_at: at(0), signals: {} },
  ])('is none in %j', (wire) => {
    expect(read(wire)).toBeNull()
  })

  it('of a provider without a folder is not read', () => {
    expect(read({ observed_at: at(0), signals }, 'acme')).toBeNull()
  })
})
