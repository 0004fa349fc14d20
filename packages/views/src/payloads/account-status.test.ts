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
  it.each<{
    readonly why: string
    readonly reasons: readonly BlockedReason[]
    readonly status: EvaluatedAccount['status']
    readonly sign: string | undefined
  }>([
    {
      why: 'a login that is refused',
      reasons: ['auth_invalid'],
      status: statusOf('auth_invalid', 'bad'),
      sign: undefined,
    },
    {
      why: 'reported unavailable, as Health',
      reasons: ['status_invalid'],
      status: statusOf('unavailable', 'bad'),
      sign: 'warn',
    },
    {
      why: 'a reset to come',
      reasons: ['quota_exhausted_5h'],
      status: statusOf('reset_scheduled', 'warn', 60),
      sign: 'wait',
    },
    {
      why: 'used up without a time',
      reasons: ['quota_exhausted_5h'],
      status: statusOf('quota_hit', 'bad'),
      sign: undefined,
    },
    {
      why: 'held back by the proxy',
      reasons: ['upstream_retry_after'],
      status: statusOf('retry_after', 'warn', 60),
      sign: 'wait',
    },
    {
      why: 'cooling down',
      reasons: ['cooldown'],
      status: statusOf('cooldown', 'warn'),
      sign: 'wait',
    },
    {
      why: 'switched off',
      reasons: ['operator_disabled'],
      status: statusOf('disabled', 'unknown'),
      sign: 'off',
    },
    {
      why: 'switched off, its login refused',
      reasons: ['operator_disabled', 'auth_invalid'],
      status: statusOf('disabled', 'bad'),
      sign: undefined,
    },
    {
      why: 'switched off and unavailable',
      reasons: ['operator_disabled'],
      status: statusOf('disabled', 'bad'),
      sign: 'warn',
    },
  ])('has one sign: $why', ({ reasons, status, sign }) => {
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

  it.each([
    { days: 7, state: 'ends_soon' },
    { days: 1, state: 'last_day' },
    { days: -2, state: 'ended' },
  ])('says how it stands $days days before its end', ({ days, state }) => {
    expect(subscribed(days).subscription).toEqual({ state, seenAt: '2026-11-19T12:00:00.000Z' })
  })

  it('says that nobody knows when the login was written', () => {
    expect(subscribed(1, null).subscription).toEqual({ state: 'last_day', seenAt: null })
  })
})
