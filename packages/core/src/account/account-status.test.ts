import { describe, expect, it } from 'vitest'
import type { Account } from '../facts/account.ts'
import type { AccountEvidence } from '../facts/account-evidence.ts'
import { readStatusMessage, type Verdict } from '../facts/status-message.ts'
import { anAccount, aQuotaSample, evidenceOf, fromNow, NOW } from '../testing/builders.ts'
import { authFaultOf } from './blocked-reasons.ts'
import { verdictAfter } from './lasting-verdict.ts'

const MINUTE = 60
const message = (text: string) => ({ message: readStatusMessage(text, NOW) })
const lossOf = (account: Partial<Account>, evidence: AccountEvidence | null = null) =>
  authFaultOf(anAccount('ann', account), evidence, NOW)

describe('a lost login', () => {
  it.each([
    ['refresh_token_expired', 'expired'],
    ['token_invalidated', 'invalidated'],
    ['refresh_token_invalidated', 'invalidated'],
    ['unauthorized', 'refresh_refused'],
    ['invalid_grant', 'refresh_refused'],
    ['refresh_token_reused', 'refresh_refused'],
    ['{"detail":{"code":"deactivated_workspace"}}', 'deactivated'],
    ['payment_required', 'deactivated'],
    ['{"error":{"type":"authentication_error","code":"auth_unavailable"}}', 'refused'],
  ])('with %s was %s', (text, cause) => {
    expect(lossOf(message(text))?.cause).toBe(cause)
  })

  it.each([
    [401, 'refused'],
    [402, 'deactivated'],
  ])('with queries refused with %i was %s', (httpStatus, cause) => {
    const refusedLogin = { inARow: 2, lastAt: NOW, httpStatus }
    expect(lossOf({}, evidenceOf([], { refusedLogin }))?.cause).toBe(cause)
  })

  it('has the cause that anything tells, where the proxy tells none', () => {
    const verdict = {
      origin: 'record',
      at: NOW,
      message: { kind: 'auth_fault', code: 'token_invalidated', deactivated: false },
      retryAt: null,
      inARow: 1,
    } as const
    expect(lossOf({ ...message('auth_unavailable'), verdict })?.cause).toBe('invalidated')
  })

  it.each([
    { what: 'a success 60 min before', success: -90, lostAt: -30 },
    { what: 'a success longer ago', success: -90.1, lostAt: null },
    { what: 'no success', success: null, lostAt: null },
    { what: 'a reading 60 min before', reading: -90, lostAt: -30 },
    {
      what: 'a reading of a time after an older success',
      success: -500,
      reading: -31,
      lostAt: -30,
    },
  ])('is dated by its first sign with $what: $lostAt min', ({ success, reading, lostAt }) => {
    const at = (minutes: number | null | undefined) =>
      minutes == null ? null : fromNow(minutes * MINUTE)
    const samples = reading === undefined ? [] : [aQuotaSample({ ageSeconds: -reading * MINUTE })]
    const refusedLogin = {
      inARow: 3,
      firstAt: fromNow(-20 * MINUTE),
      lastAt: fromNow(-1 * MINUTE),
      httpStatus: 401,
    }
    const loss = lossOf(
      { ...message('unauthorized'), messageAt: fromNow(-30 * MINUTE), lastSuccessAt: at(success) },
      evidenceOf(samples, { refusedLogin }),
    )

    expect(loss?.lostAt).toBe(at(lostAt))
  })

  it('keeps its time however often it is refused again', () => {
    const refusedAt = (minutes: number): Verdict => ({
      origin: 'list',
      at: fromNow(minutes * MINUTE),
      message: { kind: 'auth_fault', code: 'unauthorized', deactivated: false },
      retryAt: null,
      inARow: 1,
    })
    const verdict = [-300, -200, -100]
      .map(refusedAt)
      .reduce((known, next) => verdictAfter(known, next, null) ?? next, refusedAt(-400))

    expect(verdict.at).toBe(fromNow(-100 * MINUTE))
    expect(lossOf({ verdict, lastSuccessAt: fromNow(-410 * MINUTE) })?.lostAt).toBe(
      fromNow(-400 * MINUTE),
    )
    // A success in between ends the first loss.
    const proven = verdictAfter(verdict, refusedAt(-5), fromNow(-10 * MINUTE))
    expect(proven).toEqual(refusedAt(-5))
  })
})
