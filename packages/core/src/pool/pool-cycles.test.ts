import { describe, expect, it } from 'vitest'
import { DAY_MS, plusMs } from '../facts/time.ts'
import { NOW } from '../testing/builders.ts'
import { type AccountReadings, addedCycles, poolCyclesOf } from './pool-cycles.ts'

/** Four weeks. */
const SPAN = { from: plusMs(NOW, -28 * DAY_MS), to: NOW }
const day = (days: number) => plusMs(SPAN.from, days * DAY_MS)
/** A reading of the week: the day it was recorded, percent left, day of its reset. */
const reading = (days: number, percent: number, resets: number | null) => ({
  at: day(days),
  percent,
  resetAt: resets === null ? null : day(resets),
  sampledAt: day(days),
})
const weeksOf = (
  accountKey: string,
  readings: readonly ReturnType<typeof reading>[],
): AccountReadings => ({ accountKey, windowId: 'week', readings })
const WEIGHTS = new Map([
  ['plus', 1],
  ['pro', 20],
  ['free', 0],
])
const poolOf = (
  accounts: readonly AccountReadings[],
  silences: readonly (readonly [number, number])[] = [],
) => {
  const unwatched = silences.map(([from, to]) => ({ from: day(from), to: day(to) }))
  return poolCyclesOf({ accounts, unwatched }, WEIGHTS, SPAN)
}
/** Weeks without a pause, each used evenly down to what is left of it. */
const busy = (...left: readonly number[]) =>
  left.flatMap((percent, week) => [
    reading(7 * week + 0.1, 99, 7 * week + 6.99),
    reading(7 * week + 6.9, percent, 7 * week + 6.99),
    reading(7 * week + 6.995, 100, null),
  ])

describe('how full the windows of a pool were', () => {
  it('adds up what expired of each account by its weight, in an average week', () => {
    const { windows, watchedSeconds } = poolOf([
      weeksOf('plus', busy(40, 20, 0, 60)),
      weeksOf('pro', busy(10, 0, 0, 10)),
    ])

    expect(watchedSeconds).toBe(28 * 86_400)
    expect(windows.week).toMatchObject({ endedCount: 8, knownCount: 8, dryCount: 3 })
    // (1.2 Plus + 20 × 0.2) / 4 weeks.
    expect(windows.week.weekly?.expired).toBeCloseTo(1.3, 6)
    expect(windows.week.weekly?.notBegun).toBe(0)
    expect(windows.week.weekly?.tracked).toBeCloseTo((21 * 27.9) / 28, 6)
    expect(windows['5h']).toMatchObject({ endedCount: 0, weekly: { tracked: 0 } })
  })

  it('counts an account that nobody uses as not begun', () => {
    const idle = [-1, 5, 11, 17, 23].map((days) => reading(days, 100, days + 7))
    const { weekly, endedCount } = poolOf([weeksOf('plus', idle)]).windows.week

    expect(endedCount).toBe(0)
    expect(weekly).toEqual({ expired: 0, notBegun: 1, tracked: 1 })
  })

  it.each([
    { what: 'switched off', after: [] },
    { what: 'not read', after: [{ ...reading(7.001, 100, null), sampledAt: day(6.9) }] },
  ])(
    'takes no time in which an account was $what for time in which nothing was used',
    ({ after }) => {
      const readings = [reading(0, 100, 7), ...after, reading(21, 100, 28)]

      expect(poolOf([weeksOf('plus', readings)]).windows.week.weekly).toMatchObject({
        notBegun: 0.5,
        tracked: 1,
      })
    },
  )

  it('leaves out accounts that are not listed now, have no weight or were never read', () => {
    const out = [weeksOf('gone', busy(50)), weeksOf('free', busy(50)), weeksOf('plus', [])]
    const { week } = poolOf(out).windows

    expect(week).toEqual({
      endedCount: 0,
      knownCount: 0,
      dryCount: 0,
      weekly: { expired: 0, notBegun: 0, tracked: 0 },
    })
  })

  it('is not known of a week while no account has a weight', () => {
    const record = { accounts: [weeksOf('free', busy(50))], unwatched: [] }
    for (const weights of [new Map(), new Map([['free', 0]])])
      expect(poolCyclesOf(record, weights, SPAN).windows.week.weekly).toBeNull()
  })

  it('leaves out an account whose week is metered by another window', () => {
    const readings = [{ ...reading(1, 50, null), resetAt: plusMs(day(1), 40 * DAY_MS) }]

    expect(poolOf([weeksOf('plus', readings)]).windows.week.weekly?.tracked).toBe(0)
  })

  it('does not guess at an end that nobody saw', () => {
    const unread = weeksOf('plus', busy(40, 20).slice(0, 4))

    expect(poolOf([unread], [[13, 28]]).windows.week).toMatchObject({
      endedCount: 2,
      knownCount: 1,
      dryCount: 0,
    })
  })

  it.each([
    { what: 'an hour after it', readAt: 7 + 1 / 24, knownCount: 1 },
    { what: 'later, as the account was not listed', readAt: 7 + 1.1 / 24, knownCount: 0 },
  ])('knows the end of a week if it was read $what', ({ readAt, knownCount }) => {
    const readings = [reading(0.1, 70, 7), reading(3, 60, 7), reading(readAt, 100, null)]
    const { week } = poolOf([weeksOf('plus', readings)]).windows

    expect(week).toMatchObject({ endedCount: 1, knownCount })
    expect(week.weekly?.expired).toBeCloseTo(knownCount * 0.15, 6)
  })

  it('takes no time that nobody watched for time in which nothing was used', () => {
    const { week } = poolOf([weeksOf('plus', busy(40, 20))], [[14, 28]]).windows

    expect(week.weekly?.notBegun).toBe(0)
  })

  it.each([
    { what: 'less than a week', until: 6.9, isKnown: false },
    { what: 'a week', until: 7, isKnown: true },
  ])('knows no average week of $what', ({ until, isKnown }) => {
    const { week } = poolOf([weeksOf('plus', busy(40))], [[until, 28]]).windows

    expect(week.weekly !== null).toBe(isKnown)
  })

  it('is the same of all accounts and of parts of them added up', () => {
    const [plus, pro] = [weeksOf('plus', busy(40, 0)), weeksOf('pro', busy(50))]

    expect(addedCycles(poolOf([plus]), poolOf([pro]))).toEqual(poolOf([plus, pro]))
  })

  it('is not known of a week where it is not known of a part', () => {
    const short = poolOf([weeksOf('plus', busy(40))], [[6, 28]])

    expect(addedCycles(short, short).windows.week).toMatchObject({ endedCount: 2, weekly: null })
  })
})
