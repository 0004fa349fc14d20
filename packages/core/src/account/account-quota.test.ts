import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anAbsentWindow, aWindow, NOW } from '../testing/builders.ts'
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

const HOUR = 3_600
const DAY = 86_400

it.each<
  readonly [
    why: string,
    windows: readonly [QuotaWindow, QuotaWindow],
    fiveHour: string,
    week: string,
  ]
>([
  [
    'a 5h window that starts again gives back what was used of it',
    [fiveHour(20, HOUR), week(60)],
    '80 in 1 h',
    '',
  ],
  [
    'a week that caps takes away what the 5h window would give back',
    [fiveHour(50, HOUR), week(5, 2 * DAY)],
    '70 in 48 h',
    '95 in 48 h',
  ],
  [
    'an exhausted week gives the 5h window back as well',
    [fiveHour(80), week(0, 2 * DAY)],
    '80 in 48 h',
    '100 in 48 h',
  ],
  [
    'both windows give back, whichever starts again first',
    [fiveHour(30, 2 * HOUR), week(4, HOUR)],
    '6 in 1 h, 70 in 2 h',
    '96 in 1 h',
  ],
  [
    'the substitute of an absent window gives back for both',
    [anAbsentWindow('5h'), week(40, DAY)],
    '60 in 24 h',
    '60 in 24 h',
  ],
  ['a full window gives nothing back', [fiveHour(100, HOUR), week(100, DAY)], '', ''],
  ['an unknown window gives nothing back', [unknownWindow('5h'), week(60, DAY)], '', '40 in 24 h'],
])('resets: %s', (_, windows, fiveHour, week) => {
  const quota = windowQuotasOf(windows, 6)
  const dated = (id: '5h' | 'week') =>
    quota[id].returns
      .map(({ at, percent }) => `${percent} in ${(at - NOW) / 3_600_000} h`)
      .join(', ')

  expect([dated('5h'), dated('week')]).toEqual([fiveHour, week])
})

it('what can be spent is never more than the window itself has', () => {
  const percent = fc.integer({ min: 0, max: 1000 }).map((tenths) => tenths / 10)
  fc.assert(
    fc.property(
      percent,
      percent,
      fc.double({ min: 1, max: 20, noNaN: true }),
      (five, weekly, multiplier) => {
        const spendable = spendableOf([fiveHour(five), week(weekly)], multiplier)

        expect(spendable[1]).toBe(weekly)
        expect(spendable[0]).toBeLessThanOrEqual(five)
        expect(spendable[0]).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})
