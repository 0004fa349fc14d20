import type { BlockedReason, EvaluatedAccount } from '@svc/core'
import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aBlockedAccount, anEvaluatedAccount } from '../testing/snapshots.ts'
import { poolStatus, subscriptionIn } from './account-status.ts'

const text = createWording('UTC')
const shown = (account: EvaluatedAccount) => poolStatus(account, text)
const statusOf = (
  kind: EvaluatedAccount['status']['kind'],
  tone: EvaluatedAccount['status']['tone'],
  seconds: number | null = null,
) => ({ kind, tone, until: seconds === null ? null : fromNow(seconds) })

describe('the state of an account in the table', () => {
  it.each<
    readonly [
      why: string,
      reasons: readonly BlockedReason[],
      status: EvaluatedAccount['status'],
      sign: string | undefined,
    ]
  >([
    ['a login that is refused', ['auth_invalid'], statusOf('auth_invalid', 'bad'), undefined],
    ['reported unavailable, as Health', ['status_invalid'], statusOf('unavailable', 'bad'), 'warn'],
    ['a reset to come', ['quota_exhausted_5h'], statusOf('reset_scheduled', 'warn', 60), 'wait'],
    ['used up without a time', ['quota_exhausted_5h'], statusOf('quota_hit', 'bad'), undefined],
    [
      'held back by the proxy',
      ['upstream_retry_after'],
      statusOf('retry_after', 'warn', 60),
      'wait',
    ],
    ['cooling down', ['cooldown'], statusOf('cooldown', 'warn'), 'wait'],
    ['switched off', ['operator_disabled'], statusOf('disabled', 'unknown'), 'off'],
    [
      'switched off, its login refused',
      ['operator_disabled', 'auth_invalid'],
      statusOf('disabled', 'bad'),
      undefined,
    ],
    ['switched off and unavailable', ['operator_disabled'], statusOf('disabled', 'bad'), 'warn'],
  ])('has one sign: $0', (_, reasons, status, sign) => {
    const account = aBlockedAccount('a', 'cooldown', { blockedReasons: reasons, status })

    expect(shown(account).sign).toBe(sign)
  })

  it('has the sign of its tone while it can be used', () => {
    const account = anEvaluatedAccount('a', { status: statusOf('degraded', 'warn') })

    expect(shown(account)).toEqual({
      text: 'Degraded',
      tone: 'warn',
      until: null,
    })
  })
})

const DAY = 86_400

function subscribed(days: number | null, seenDaysAgo: number | null = 1) {
  const evaluated = anEvaluatedAccount('a')
  const account = {
    ...evaluated.account,
    subscribedUntil: days === null ? null : fromNow(days * DAY),
    modifiedAt: seenDaysAgo === null ? null : fromNow(-seenDaysAgo * DAY),
  }
  return subscriptionIn({ ...evaluated, account, lastSample: null }, NOW, createWording('UTC'))
}

describe('what is paid for', () => {
  it('is left out where nobody knows', () => {
    expect(subscribed(null)).toEqual({})
  })

  it('says its end alone while it runs for more than a week', () => {
    expect(subscribed(10)).toEqual({ paidUntil: '2026-11-30T12:00:00.000Z' })
    expect(JSON.stringify(subscribed(10)).length).toBeLessThanOrEqual(40)
  })

  it('says that nobody knows when the login was written', () => {
    expect(subscribed(1, null).subscription).toEqual({ state: 'last_day', seenAt: null })
  })
})
