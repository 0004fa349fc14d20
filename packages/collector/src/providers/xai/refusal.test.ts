import { plusMs } from '@svc/core'
import type { StatusMessage } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { readStatusMessage, refusalIn } from './refusal.ts'

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
    { httpStatus: 401, body: expired, verdict: suspected },
    { httpStatus: 401, body: '', verdict: suspected },
    { httpStatus: 401, body: '{"error":"invalid_grant"}', verdict: revoked },
    { httpStatus: 402, body: outOfCredits, verdict: planUsedUp },
    { httpStatus: 402, body: '', verdict: planUsedUp },
    { httpStatus: 403, body: badCredentials, verdict: suspected },
    { httpStatus: 403, body: outOfCredits, verdict: planUsedUp },
    { httpStatus: 403, body: '{"error":"token revoked"}', verdict: revoked },
    { httpStatus: 403, body: '{"error":"access denied"}', verdict: null },
    { httpStatus: 403, body: '{"code":"unauthorized"}', verdict: null },
    { httpStatus: 403, body: '<html>run out of credits</html>', verdict: null },
    { httpStatus: 429, body: freeUsedUp, verdict: tomorrow },
    { httpStatus: 429, body: outOfCredits, verdict: planUsedUp },
    { httpStatus: 429, body: '{"error":"Too many requests"}', verdict: quota },
    { httpStatus: 429, body: '', verdict: quota },
    { httpStatus: 429, body: expired, verdict: quota },
    { httpStatus: 400, body: freeUsedUp, verdict: null },
    { httpStatus: 404, body: expired, verdict: null },
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
