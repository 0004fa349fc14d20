import type { StatusMessage } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { readStatusMessage, refusalIn } from './refusal.ts'

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
    { httpStatus: 401, body: '<html>', verdict: suspected },
    { httpStatus: 401, body: weekUsedUp, verdict: suspected },
    { httpStatus: 401, body: '{"error":"invalid_grant"}', verdict: revoked },
    { httpStatus: 402, body: weekUsedUp, verdict: planUsedUp },
    { httpStatus: 402, body: '', verdict: null },
    { httpStatus: 403, body: weekUsedUp, verdict: planUsedUp },
    { httpStatus: 403, body: errorOf('x', 'access_terminated_error'), verdict: planUsedUp },
    { httpStatus: 403, body: errorOf('permission denied'), verdict: null },
    { httpStatus: 403, body: errorOf('x', 'authentication_error'), verdict: null },
    { httpStatus: 403, body: errorOf('The login was revoked.'), verdict: revoked },
    { httpStatus: 403, body: '<html>usage limit</html>', verdict: null },
    { httpStatus: 403, body: '', verdict: null },
    { httpStatus: 429, body: cycleUsedUp, verdict: quota },
    { httpStatus: 429, body: errorOf('Insufficient balance'), verdict: quota },
    { httpStatus: 429, body: '<html>', verdict: quota },
    { httpStatus: 429, body: expired, verdict: quota },
    { httpStatus: 400, body: weekUsedUp, verdict: null },
    { httpStatus: 404, body: expired, verdict: null },
    { httpStatus: 500, body: weekUsedUp, verdict: null },
    { httpStatus: 0, body: '', verdict: null },
  ])('$httpStatus $body', ({ httpStatus, body, verdict }) => {
    const read = refusalIn({ httpStatus, body }, NOW)

    if (verdict === null) expect(read).toBeNull()
    else expect(read).toMatchObject(verdict)
    if (verdict === quota) expect(read).toEqual(quota)
  })
})
