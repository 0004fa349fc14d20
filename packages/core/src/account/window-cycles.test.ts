import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs, HOUR_MS, MINUTE_MS, plusMs } from '../facts/time.ts'
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
  it.each([
    {
      what: 'a cycle from its start to its reset, with what expired',
      readings: [reading(10, 90, 300), reading(200, 40, 300), reading(301, 100, null, 299)],
      cycles: [[0, 300, 'ended', 60, 40]],
    },
    {
      what: 'one that ran dry',
      readings: [reading(10, 90, 300), reading(50, 0, 300), reading(301, 100, 601)],
      cycles: [[0, 300, 'ended', 100, 0]],
    },
    {
      what: 'the next one after the reset, and one that still runs',
      readings: [reading(1_000, 70, 1_290), reading(1_295, 95, 1_590)],
      cycles: [
        [990, 1_290, 'ended', 30, 70],
        [1_290, 1_590, 'running', 5, null],
      ],
    },
    {
      what: 'one cycle of a reset that is read a little off',
      readings: [reading(10, 90, 300), reading(100, 50, 304), followed(305)],
      cycles: [[0, 300, 'ended', 50, 50]],
    },
    {
      what: 'nothing of a window that has not begun, as its reset moves on',
      readings: [reading(10, 100, 310), reading(20, 100, 320), reading(30, 100, null)],
      cycles: [],
    },
    {
      what: 'a cycle that was refilled before its reset, of which nothing expired',
      readings: [reading(10, 60, 300), reading(120, 99, 420), reading(410, 30, 420), followed(421)],
      cycles: [
        [0, 120, 'refilled', 40, null],
        [120, 420, 'ended', 70, 30],
      ],
    },
    {
      what: 'one that was refilled and then not used until after its reset',
      readings: [
        reading(10, 60, 300),
        reading(120, 100, 420),
        reading(125, 100, 425),
        reading(298, 100, 598),
        reading(305, 90, 604),
      ],
      cycles: [
        [0, 120, 'refilled', 40, null],
        [304, 604, 'ended', 10, null],
      ],
    },
    {
      what: 'one that was refilled shortly before its reset',
      readings: [reading(10, 60, 300), reading(285, 90, 580), followed(581)],
      cycles: [
        [0, 285, 'refilled', 40, null],
        [285, 580, 'ended', 10, 90],
      ],
    },
    {
      what: 'one that an answer took for refilled, and the next one did not',
      readings: [
        reading(10, 60, 300),
        reading(100, 100, 400),
        reading(105, 55, 300),
        followed(301),
      ],
      cycles: [[0, 300, 'ended', 45, 55]],
    },
    {
      what: 'the most that was used where some of it was given back, and what was left in the end',
      readings: [reading(10, 5, 300), reading(100, 100, 300), reading(290, 80, 300), followed(301)],
      cycles: [[0, 300, 'ended', 95, 80]],
    },
    {
      what: 'nothing of a reading that names an older reset',
      readings: [reading(310, 60, 600), reading(311, 10, 320), followed(601)],
      cycles: [[300, 600, 'ended', 40, 60]],
    },
    {
      what: 'nothing of damaged readings',
      readings: [
        reading(10, 60, 300),
        reading(11, Number.NaN, 300),
        reading(12, -1, 300),
        reading(13, 101, 300),
        reading(14, 50, 5_000),
        reading(15, 50, null),
        followed(301),
      ],
      cycles: [[0, 300, 'ended', 40, 60]],
    },
    {
      what: 'nothing of a window that the week stands in for',
      readings: [reading(10, 60, 5_000), reading(11, 50, 5_000), reading(900, 40, 910)],
      cycles: [],
    },
    {
      what: 'a late reading that was taken before its reset',
      readings: [reading(10, 60, 300), reading(301, 55, 300, 299)],
      cycles: [[0, 300, 'ended', 45, 55]],
    },
    {
      what: 'one that began before the span, and none that ended before it',
      readings: [reading(-350, 60, -100), reading(-50, 20, 100), followed(101)],
      cycles: [[-100, 100, 'ended', 80, 20]],
    },
  ])('are $what', ({ readings, cycles }) => {
    expect(shown(readings)).toEqual(cycles)
  })

  const cycle = [reading(10, 90, 300), reading(100, 40, 300)]
  it.each([
    { what: 'where the account was followed over its end', after: [followed(315)], expired: 40 },
    {
      what: 'not where the next reading came later, as the account was switched off',
      after: [followed(316)],
    },
    { what: 'not before a reading follows', after: [] },
    { what: 'not where nobody watched its end', after: [followed(505)], silences: [[200, 500]] },
    {
      what: 'not where nobody watched until just before it, when no account had been read yet',
      after: [followed(301)],
      silences: [[200, 290]],
    },
    {
      what: 'where it was watched again a round before its end',
      after: [followed(301)],
      silences: [[200, 285]],
      expired: 40,
    },
    {
      what: 'where the watch ended a twentieth of the window before it',
      after: [followed(515)],
      silences: [[285, 500]],
      expired: 40,
    },
    {
      what: 'not where the account was not read when the watch began again',
      after: [followed(516)],
      silences: [[285, 500]],
    },
    {
      what: 'where nobody watched between it and the next reading',
      after: [followed(505)],
      silences: [[310, 500]],
      expired: 40,
    },
    { what: 'not where it ended a minute sooner', after: [followed(505)], silences: [[284, 500]] },
    {
      what: 'not where the account was last read long before its end',
      after: [reading(301, 100, null, 120)],
    },
    {
      what: 'where the account was read shortly before its end',
      after: [reading(301, 100, null, 285)],
      expired: 40,
    },
    {
      what: 'not where nobody knows when the next reading was taken',
      after: [reading(301, 100, null, null)],
    },
    {
      what: 'of a window that was used up, watched or not',
      after: [reading(150, 0, 300)],
      silences: [[200, 500]],
      expired: 0,
    },
  ] as const)('have a known end $what', ({ after, silences = [], expired = null }) => {
    expect(shown([...cycle, ...after], silences)[0]?.[4]).toBe(expired)
  })

  it('neither overlap nor come out of order, and no percent leaves its range, whatever the readings', () => {
    const readings = fc.array(
      fc.record({
        at: fc.integer({ min: -600, max: 1_440 }).map(at),
        percent: fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.double()),
        resetAt: fc.option(fc.integer({ min: -600, max: 2_000 }).map(at)),
        sampledAt: fc.option(fc.integer({ min: -700, max: 1_500 }).map(at)),
      }),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(readings, (given) => {
        const sorted = given.toSorted((one, other) => one.at - other.at)
        const cycles = cyclesOf({ windowId: '5h', readings: sorted, unwatched: [] }, SPAN)
        let end = epochMs(0)
        for (const { from, to, state, usedPercent, expiredPercent } of cycles) {
          expect(from).toBeGreaterThanOrEqual(end)
          expect(to).toBeGreaterThanOrEqual(from)
          expect(to - from).toBeLessThanOrEqual(5 * HOUR_MS)
          expect(usedPercent).toBeGreaterThan(0)
          expect(usedPercent).toBeLessThanOrEqual(100)
          expect(state === 'running').toBe(to > SPAN.to)
          if (state !== 'ended') expect(expiredPercent).toBeNull()
          end = to
        }
      }),
    )
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
