import { describe, expect, it } from 'vitest'
import { aQuotaSample, fromNow } from '../testing/builders.ts'
import { type AccountActivity, laterOf, noteActivity } from './decoded-usage.ts'

it.each([
  { one: null, other: null, later: null },
  { one: fromNow(1), other: null, later: fromNow(1) },
  { one: null, other: fromNow(1), later: fromNow(1) },
  { one: fromNow(1), other: fromNow(2), later: fromNow(2) },
  { one: fromNow(2), other: fromNow(1), later: fromNow(2) },
])('the later of two instants: $later', ({ one, other, later }) => {
  expect(laterOf(one, other)).toBe(later)
})

describe('what records say about an account', () => {
  const activity = (changes: Partial<AccountActivity>): AccountActivity => ({
    accountKey: 'a',
    authIndex: 'i',
    lastSuccessAt: null,
    sample: null,
    refusal: null,
    ...changes,
  })
  const noted = (...all: readonly AccountActivity[]) => {
    const known = new Map<string, AccountActivity>()
    for (const one of all) noteActivity(known, one)
    return known
  }
  const older = aQuotaSample({ ageSeconds: 60, fiveHour: 90 })
  const newer = aQuotaSample({ ageSeconds: 10, fiveHour: 40 })

  it('is the latest success and the newest sample, though they come in any order', () => {
    const records = [
      activity({ lastSuccessAt: fromNow(-5) }),
      activity({ sample: newer }),
      activity({ lastSuccessAt: fromNow(-50), sample: older }),
    ]
    const expected = activity({ lastSuccessAt: fromNow(-5), sample: newer })

    expect(noted(...records).get('a|i')).toEqual(expected)
    expect(noted(...[...records].reverse()).get('a|i')).toEqual(expected)
  })

  it('of two samples of one moment is the one that came last', () => {
    const again = { ...newer, plan: 'pro' }

    expect(noted(activity({ sample: newer }), activity({ sample: again })).get('a|i')?.sample).toBe(
      again,
    )
  })

  it('is kept for each account apart', () => {
    const known = noted(activity({ sample: newer }), activity({ accountKey: 'b', sample: older }))

    expect([known.get('a|i')?.sample, known.get('b|i')?.sample]).toEqual([newer, older])
  })
})
