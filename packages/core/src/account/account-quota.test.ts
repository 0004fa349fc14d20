import { expect, it } from 'vitest'
import { anAbsentWindow, aWindow } from '../testing/builders.ts'
import {
  spendablePercentsOf,
  type WeeklyToFiveHourMultiplier,
  windowQuotasOf,
} from './account-quota.ts'
import { percentOf, type QuotaWindow, unknownWindow } from './quota-window.ts'

const aMainWindow = (id: '5h' | 'week') => (percent: number, resetsInSeconds?: number) =>
  aWindow(id, percent, resetsInSeconds === undefined ? {} : { resetsInSeconds })
const fiveHour = aMainWindow('5h')
const week = aMainWindow('week')
const spendableOf = (windows: readonly QuotaWindow[], multiplier: WeeklyToFiveHourMultiplier) => {
  const quota = windowQuotasOf(windows, multiplier)
  return [quota['5h'].spendable, quota.week.spendable]
}
/** The same result from windows in their wire form, which has no times. */
const spendableOnTheWire = (
  windows: readonly QuotaWindow[],
  multiplier: WeeklyToFiveHourMultiplier,
) => {
  const sent = windows.map((window) => ({
    id: window.id,
    state: window.state,
    percent: percentOf(window),
  }))
  const { '5h': fiveHour, week } = spendablePercentsOf(sent, multiplier)
  return [fiveHour, week]
}

it.for<
  readonly [
    why: string,
    windows: readonly [QuotaWindow, QuotaWindow],
    expected: readonly [fiveHour: number | null, week: number | null],
    multiplier?: WeeklyToFiveHourMultiplier,
  ]
>([
  ['a good week does not cap', [fiveHour(80), week(60)], [80, 60]],
  ['a week exactly large enough does not', [fiveHour(60), week(10)], [60, 10]],
  ['a nearly used week caps at week × multiplier', [fiveHour(80), week(10)], [60, 10]],
  ['another multiplier caps elsewhere', [fiveHour(80), week(10)], [25, 10], 2.5],
  ['off does not cap', [fiveHour(80), week(10)], [80, 10], 'off'],
  ['an exhausted week leaves nothing', [fiveHour(80), week(0)], [0, 0]],
  ['off or not', [fiveHour(80), week(0)], [0, 0], 'off'],
  ['even of a 5h window nobody knows', [unknownWindow('5h'), week(0)], [0, 0]],
  ['an exhausted 5h window leaves the week alone', [fiveHour(0), week(60)], [0, 60]],
  ['an unknown week caps nothing', [fiveHour(80), unknownWindow('week')], [80, null]],
  ['an unknown 5h window stays unknown', [unknownWindow('5h'), week(60)], [null, 60]],
  ['an absent 5h window takes the week’s value', [anAbsentWindow('5h'), week(60)], [60, 60]],
  ['an absent week takes the 5h value', [fiveHour(40), anAbsentWindow('week')], [40, 40]],
  ['an absent 5h window beside an exhausted week', [anAbsentWindow('5h'), week(0)], [0, 0]],
  [
    'an absent window beside an unknown one',
    [anAbsentWindow('5h'), unknownWindow('week')],
    [null, null],
  ],
  ['both absent', [anAbsentWindow('5h'), anAbsentWindow('week')], [null, null]],
  ['both unknown', [unknownWindow('5h'), unknownWindow('week')], [null, null]],
])('what can be spent: $0', ([, windows, expected, multiplier = 6]) => {
  expect(spendableOf(windows, multiplier)).toEqual(expected)
  expect(spendableOnTheWire(windows, multiplier)).toEqual(expected)
})

it('what can be spent of a window that is not sent is what its substitute has', () => {
  expect(spendablePercentsOf([{ id: 'week', state: 'known', percent: 40 }], 6)).toEqual({
    '5h': 40,
    week: 40,
  })
})
