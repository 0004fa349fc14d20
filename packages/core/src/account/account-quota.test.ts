import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anAbsentWindow, aWindow } from '../testing/builders.ts'
import { effectiveQuotaOf } from './account-quota.ts'
import { type QuotaWindow, unknownWindow } from './quota-window.ts'

const fiveHour = (percent: number) => aWindow('5h', percent)
const week = (percent: number) => aWindow('week', percent)

it.each<
  readonly [
    why: string,
    windows: readonly [QuotaWindow, QuotaWindow],
    multiplier: number | 'off',
    fiveHour: number | null,
    week: number | null,
  ]
>([
  ['a good week does not cap', [fiveHour(80), week(60)], 6, 80, 60],
  ['a week exactly large enough does not', [fiveHour(60), week(10)], 6, 60, 10],
  ['a nearly used week caps at week × multiplier', [fiveHour(80), week(10)], 6, 60, 10],
  ['another multiplier caps elsewhere', [fiveHour(80), week(10)], 2.5, 25, 10],
  ['off does not cap', [fiveHour(80), week(10)], 'off', 80, 10],
  ['an exhausted week leaves nothing', [fiveHour(80), week(0)], 6, 0, 0],
  ['off or not', [fiveHour(80), week(0)], 'off', 0, 0],
  ['even of a 5h window nobody knows', [unknownWindow('5h'), week(0)], 6, 0, 0],
  ['an exhausted 5h window leaves the week alone', [fiveHour(0), week(60)], 6, 0, 60],
  ['an unknown week caps nothing', [fiveHour(80), unknownWindow('week')], 6, 80, null],
  ['an unknown 5h window stays unknown', [unknownWindow('5h'), week(60)], 6, null, 60],
  ['an absent 5h window takes the week’s value', [anAbsentWindow('5h'), week(60)], 6, 60, 60],
  ['an absent week takes the 5h value', [fiveHour(40), anAbsentWindow('week')], 6, 40, 40],
  ['an absent 5h window beside an exhausted week', [anAbsentWindow('5h'), week(0)], 6, 0, 0],
  [
    'an absent window beside an unknown one',
    [anAbsentWindow('5h'), unknownWindow('week')],
    6,
    null,
    null,
  ],
  ['both absent', [anAbsentWindow('5h'), anAbsentWindow('week')], 6, null, null],
  ['both unknown', [unknownWindow('5h'), unknownWindow('week')], 6, null, null],
])('%s', (_, windows, multiplier, expectedFiveHour, expectedWeek) => {
  expect(effectiveQuotaOf(windows, multiplier)).toEqual({
    fiveHour: expectedFiveHour,
    week: expectedWeek,
  })
})

it('never more than the window itself has', () => {
  const percent = fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10)
  fc.assert(
    fc.property(
      percent,
      percent,
      fc.double({ min: 1, max: 20, noNaN: true }),
      (five, weekly, multiplier) => {
        const effective = effectiveQuotaOf([fiveHour(five), week(weekly)], multiplier)

        expect(effective.week).toBe(weekly)
        expect(effective.fiveHour).toBeLessThanOrEqual(five)
        expect(effective.fiveHour).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})
