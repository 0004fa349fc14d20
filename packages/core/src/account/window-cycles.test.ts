import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS, plusMs } from '../facts/time.ts'
import { NOW } from '../testing/builders.ts'
import { type CycleReading, cyclesOf } from './window-cycles.ts'

const SPAN = { from: plusMs(NOW, -24 * HOUR_MS), to: NOW }
/** Instant by minutes since the span began. */
const at = (minutes: number) => plusMs(SPAN.from, minutes * MINUTE_MS)
const minuteOf = (instant: number) => (instant - SPAN.from) / MINUTE_MS

/** A reading, with the minute of its reset and the minute it was taken. */
const reading = (
  minute: number,
  percent: number,
  resets: number | null,
  sampled: number | null = minute,
): CycleReading => ({
  at: at(minute),
  percent,
  resetAt: resets === null ? null : at(resets),
  sampledAt: sampled === null ? null : at(sampled),
})
/** Readings as in `10 90 300, 301 100 none taken 299`. */
const readingsOf = (text: string) =>
  text.split(', ').map((one) => {
    const [minute, percent, resets, , taken = minute] = one.split(' ')
    return reading(
      Number(minute),
      Number(percent),
      resets === 'none' ? null : Number(resets),
      Number(taken),
    )
  })
const cycleText = ([from, to, ...rest]: readonly unknown[]) =>
  `${from} to ${to} ${rest.map(String).join(' ')}`
/** The first reading after a reset: of a window that is full again. */
const followed = (minute: number) => reading(minute, 100, null)
const shown = (
  readings: readonly CycleReading[],
  silences: readonly (readonly [number, number])[] = [],
) => {
  const unwatched = silences.map(([from, to]) => ({ from: at(from), to: at(to) }))
  return cyclesOf({ windowId: '5h', readings, unwatched }, SPAN).map(
    ({ from, to, state, usedPercent, expiredPercent }) =>
      [minuteOf(from), minuteOf(to), state, usedPercent, expiredPercent] as const,
  )
}

describe('the cycles of a window', () => {
  /** Readings as minute, percent and minute of the reset, cycles as in `0 to 300 ended 60 40`. */
  it.each<readonly [what: string, readings: string, cycles: string]>([
    [
      'a cycle from its start to its reset, with what expired',
      '10 90 300, 200 40 300, 301 100 none taken 299',
      '0 to 300 ended 60 40',
    ],
    ['one that ran dry', '10 90 300, 50 0 300, 301 100 601', '0 to 300 ended 100 0'],
    [
      'the next one after the reset, and one that still runs',
      '1000 70 1290, 1295 95 1590',
      '990 to 1290 ended 30 70, 1290 to 1590 running 5 null',
    ],
    [
      'one cycle of a reset that is read a little off',
      '10 90 300, 100 50 304, 305 100 none',
      '0 to 300 ended 50 50',
    ],
    [
      'nothing of a window that has not begun, as its reset moves on',
      '10 100 310, 20 100 320, 30 100 none',
      '',
    ],
    [
      'a cycle that was refilled before its reset, of which nothing expired',
      '10 60 300, 120 99 420, 410 30 420, 421 100 none',
      '0 to 120 refilled 40 null, 120 to 420 ended 70 30',
    ],
    [
      'one that was refilled and then not used until after its reset',
      '10 60 300, 120 100 420, 125 100 425, 298 100 598, 305 90 604',
      '0 to 120 refilled 40 null, 304 to 604 ended 10 null',
    ],
    [
      'one that was refilled shortly before its reset',
      '10 60 300, 285 90 580, 581 100 none',
      '0 to 285 refilled 40 null, 285 to 580 ended 10 90',
    ],
    [
      'one that an answer took for refilled, and the next one did not',
      '10 60 300, 100 100 400, 105 55 300, 301 100 none',
      '0 to 300 ended 45 55',
    ],
    [
      'the most that was used where some of it was given back, and what was left in the end',
      '10 5 300, 100 100 300, 290 80 300, 301 100 none',
      '0 to 300 ended 95 80',
    ],
    [
      'nothing of a reading that names an older reset',
      '310 60 600, 311 10 320, 601 100 none',
      '300 to 600 ended 40 60',
    ],
    [
      'nothing of damaged readings',
      '10 60 300, 11 NaN 300, 12 -1 300, 13 101 300, 14 50 5000, 15 50 none, 301 100 none',
      '0 to 300 ended 40 60',
    ],
    ['nothing of a window that the week stands in for', '10 60 5000, 11 50 5000, 900 40 910', ''],
    [
      'a late reading that was taken before its reset',
      '10 60 300, 301 55 300 taken 299',
      '0 to 300 ended 45 55',
    ],
    [
      'one that began before the span, and none that ended before it',
      '-350 60 -100, -50 20 100, 101 100 none',
      '-100 to 100 ended 80 20',
    ],
  ])('are %s', (_, readings, cycles) => {
    expect(shown(readingsOf(readings)).map(cycleText).join(', ')).toBe(cycles)
  })

  const cycle = [reading(10, 90, 300), reading(100, 40, 300)]
  it.for<
    readonly [
      what: string,
      after: readonly CycleReading[],
      expired: number | null,
      silence?: readonly [from: number, to: number],
    ]
  >([
    ['where the account was followed over its end', [followed(315)], 40],
    [
      'not where the next reading came later, as the account was switched off',
      [followed(316)],
      null,
    ],
    ['not before a reading follows', [], null],
    ['not where nobody watched its end', [followed(505)], null, [200, 500]],
    [
      'not where nobody watched until just before it, when no account had been read yet',
      [followed(301)],
      null,
      [200, 290],
    ],
    ['where it was watched again a round before its end', [followed(301)], 40, [200, 285]],
    ['where the watch ended a twentieth of the window before it', [followed(515)], 40, [285, 500]],
    [
      'not where the account was not read when the watch began again',
      [followed(516)],
      null,
      [285, 500],
    ],
    ['where nobody watched between it and the next reading', [followed(505)], 40, [310, 500]],
    ['not where it ended a minute sooner', [followed(505)], null, [284, 500]],
    [
      'not where the account was last read long before its end',
      [reading(301, 100, null, 120)],
      null,
    ],
    ['where the account was read shortly before its end', [reading(301, 100, null, 285)], 40],
    [
      'not where nobody knows when the next reading was taken',
      [reading(301, 100, null, null)],
      null,
    ],
    ['of a window that was used up, watched or not', [reading(150, 0, 300)], 0, [200, 500]],
  ])('have a known end $0', ([, after, expired, silence]) => {
    const silences = silence === undefined ? [] : [silence]

    expect(shown([...cycle, ...after], silences)[0]?.[4]).toBe(expired)
  })

  it('say how much each watched cycle left, by its recorded readings', () => {
    const uses = fc.array(
      fc.record({
        idle: fc.integer({ min: 10, max: 200 }),
        drops: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 12 }),
      }),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(uses, (given) => {
        const readings: CycleReading[] = []
        const expected: unknown[] = []
        let start = 0
        for (const { idle, drops } of given) {
          start += idle
          let left = 100
          for (const [index, drop] of drops.entries()) {
            left = Math.max(0, left - drop)
            readings.push(reading(start + 5 + index * 20, left, start + 300))
          }
          if (start >= 1_140) break
          expected.push([start, start + 300, 'ended', 100 - left, left])
          start += 300
          readings.push(reading(start + 1, 100, null, start - 2))
        }
        expect(
          shown(readings.filter((each) => each.at <= SPAN.to)).filter(([, to]) => to <= 1_440),
        ).toEqual(expected)
      }),
    )
  })
})
