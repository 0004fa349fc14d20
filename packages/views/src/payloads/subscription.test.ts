import { fromNow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { anEvaluatedAccount } from '../testing/snapshots.ts'
import { subscriptionIn } from './subscription.ts'

const DAY = 86_400

function shown(days: number | null, seenDaysAgo: number | null = 1) {
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
    expect(shown(null)).toEqual({})
  })

  it('says its end alone while it runs for more than a week', () => {
    expect(shown(10)).toEqual({ paidUntil: '2026-11-30T12:00:00.000Z' })
    expect(JSON.stringify(shown(10)).length).toBeLessThanOrEqual(40)
  })

  it.each([
    { days: 7, state: 'ends_soon' },
    { days: 1, state: 'last_day' },
    { days: -2, state: 'ended' },
  ])('says how it stands $days days before its end', ({ days, state }) => {
    expect(shown(days).subscription).toEqual({ state, seenAt: '2026-11-19T12:00:00.000Z' })
  })

  it('says that nobody knows when the login was written', () => {
    expect(shown(1, null).subscription).toEqual({ state: 'last_day', seenAt: null })
  })
})
