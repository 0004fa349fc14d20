import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anAbsentWindow, aWindow, fromNow } from '../testing/builders.ts'
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
  return { fiveHour: quota['5h'].spendable, week: quota.week.spendable }
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
  return { fiveHour, week }
}

it.for<
  readonly [
    why: string,
    windows: readonly [QuotaWindow, QuotaWindow],
    expected: { fiveHour: number | null; week: number | null },
    multiplier?: WeeklyToFiveHourMultiplier,
  ]
>([
  ['a good week does not cap', [fiveHour(80), week(60)], { fiveHour: 80, week: 60 }],
  ['a week exactly large enough does not', [fiveHour(60), week(10)], { fiveHour: 60, week: 10 }],
  [
    'a nearly used week caps at week × multiplier',
    [fiveHour(80), week(10)],
    { fiveHour: 60, week: 10 },
  ],
  ['another multiplier caps elsewhere', [fiveHour(80), week(10)], { fiveHour: 25, week: 10 }, 2.5],
  ['off does not cap', [fiveHour(80), week(10)], { fiveHour: 80, week: 10 }, 'off'],
  ['an exhausted week leaves nothing', [fiveHour(80), week(0)], { fiveHour: 0, week: 0 }],
  ['off or not', [fiveHour(80), week(0)], { fiveHour: 0, week: 0 }, 'off'],
  ['even of a 5h window nobody knows', [unknownWindow('5h'), week(0)], { fiveHour: 0, week: 0 }],
  [
    'an exhausted 5h window leaves the week alone',
    [fiveHour(0), week(60)],
    { fiveHour: 0, week: 60 },
  ],
  [
    'an unknown week caps nothing',
    [fiveHour(80), unknownWindow('week')],
    { fiveHour: 80, week: null },
  ],
  [
    'an unknown 5h window stays unknown',
    [unknownWindow('5h'), week(60)],
    { fiveHour: null, week: 60 },
  ],
  [
    'an absent 5h window takes the week’s value',
    [anAbsentWindow('5h'), week(60)],
    { fiveHour: 60, week: 60 },
  ],
  [
    'an absent week takes the 5h value',
    [fiveHour(40), anAbsentWindow('week')],
    { fiveHour: 40, week: 40 },
  ],
  [
    'an absent 5h window beside an exhausted week',
    [anAbsentWindow('5h'), week(0)],
    { fiveHour: 0, week: 0 },
  ],
  [
    'an absent window beside an unknown one',
    [anAbsentWindow('5h'), unknownWindow('week')],
    { fiveHour: null, week: null },
  ],
  ['both absent', [anAbsentWindow('5h'), anAbsentWindow('week')], { fiveHour: null, week: null }],
  ['both unknown', [unknownWindow('5h'), unknownWindow('week')], { fiveHour: null, week: null }],
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

it.each<{
  why: string
  windows: readonly [QuotaWindow, QuotaWindow]
  fiveHour: readonly (readonly [inSeconds: number, percent: number])[]
  week: readonly (readonly [inSeconds: number, percent: number])[]
}>([
  {
    why: 'a 5h window that starts again gives back what was used of it',
    windows: [fiveHour(20, HOUR), week(60)],
    fiveHour: [[HOUR, 80]],
    week: [],
  },
  {
    why: 'a week that caps takes away what the 5h window would give back',
    windows: [fiveHour(50, HOUR), week(5, 2 * DAY)],
    fiveHour: [[2 * DAY, 70]],
    week: [[2 * DAY, 95]],
  },
  {
    why: 'an exhausted week gives the 5h window back as well',
    windows: [fiveHour(80), week(0, 2 * DAY)],
    fiveHour: [[2 * DAY, 80]],
    week: [[2 * DAY, 100]],
  },
  {
    why: 'both windows give back, whichever starts again first',
    windows: [fiveHour(30, 2 * HOUR), week(4, HOUR)],
    fiveHour: [
      [HOUR, 6],
      [2 * HOUR, 70],
    ],
    week: [[HOUR, 96]],
  },
  {
    why: 'the substitute of an absent window gives back for both',
    windows: [anAbsentWindow('5h'), week(40, DAY)],
    fiveHour: [[DAY, 60]],
    week: [[DAY, 60]],
  },
  {
    why: 'a full window gives nothing back',
    windows: [fiveHour(100, HOUR), week(100, DAY)],
    fiveHour: [],
    week: [],
  },
  {
    why: 'an unknown window gives nothing back',
    windows: [unknownWindow('5h'), week(60, DAY)],
    fiveHour: [],
    week: [[DAY, 40]],
  },
])('resets: $why', (row) => {
  const quota = windowQuotasOf(row.windows, 6)
  const dated = (returns: readonly (readonly [inSeconds: number, percent: number])[]) =>
    returns.map(([inSeconds, percent]) => ({ at: fromNow(inSeconds), percent }))

  expect(quota['5h'].returns).toEqual(dated(row.fiveHour))
  expect(quota.week.returns).toEqual(dated(row.week))
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

        expect(spendable.week).toBe(weekly)
        expect(spendable.fiveHour).toBeLessThanOrEqual(five)
        expect(spendable.fiveHour).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})
