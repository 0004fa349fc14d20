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
    samples: [],
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
      activity({ samples: [newer] }),
      activity({ lastSuccessAt: fromNow(-50), samples: [older] }),
    ]
    const expected = activity({ lastSuccessAt: fromNow(-5), samples: [newer] })

    expect(noted(...records).get('a|i')).toEqual(expected)
    expect(noted(...[...records].reverse()).get('a|i')).toEqual(expected)
  })

  it('of two samples of one moment is the one that came last', () => {
    const again = { ...newer, plan: 'pro' }

    const known = noted(activity({ samples: [newer] }), activity({ samples: [again] }))
    expect(known.get('a|i')?.samples).toEqual([again])
  })

  it('is kept for each account apart', () => {
    const known = noted(
      activity({ samples: [newer] }),
      activity({ accountKey: 'b', samples: [older] }),
    )

    expect([known.get('a|i')?.samples, known.get('b|i')?.samples]).toEqual([[newer], [older]])
  })
})
