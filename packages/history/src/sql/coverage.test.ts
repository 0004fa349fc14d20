import { epochMs } from '@svc/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { earliestOf, missedMs, observedSince, watchedSince } from './coverage.ts'

const DAY_MS = 86_400_000
const DAY_S = DAY_MS / 1000
const NOON = 100 * DAY_MS + DAY_MS / 2

describe('usage', () => {
  it.each([
    { what: 'nothing', rowMs: null, dayS: null, earliest: null },
    { what: 'a row of a day', rowMs: NOON, dayS: 100 * DAY_S, earliest: NOON },
    { what: 'a row alone', rowMs: NOON, dayS: null, earliest: NOON },
    { what: 'the sum of a day alone', rowMs: null, dayS: 99 * DAY_S, earliest: 99 * DAY_MS },
    {
      what: 'the sum of the day before a row',
      rowMs: NOON,
      dayS: 99 * DAY_S,
      earliest: 99 * DAY_MS,
    },
    {
      what: 'the sum of the day that a row ended',
      rowMs: 100 * DAY_MS,
      dayS: 99 * DAY_S,
      earliest: 99 * DAY_MS,
    },
  ])('begins where $what begins', ({ rowMs, dayS, earliest }) => {
    expect(earliestOf(rowMs, dayS)).toBe(earliest)
  })

  it('is watched since the first poll, or since the older rows that came with it', () => {
    expect(watchedSince(null, null)).toBeNull()
    expect(watchedSince(null, epochMs(7))).toBe(7)
    expect(watchedSince(epochMs(5), epochMs(7))).toBe(5)
    expect(watchedSince(epochMs(9), epochMs(7))).toBe(7)
  })

  it('is said to be observed for thirty days at most', () => {
    const now = epochMs(NOON)

    expect(observedSince(null, now)).toBe(now)
    expect(observedSince(epochMs(NOON - 3), now)).toBe(NOON - 3)
    expect(observedSince(epochMs(7), now)).toBe(NOON - 30 * DAY_MS)
  })
})

const gapOf = ([from, to]: readonly [number, number]) => ({
  from: epochMs(from),
  to: epochMs(to),
})

describe('missed time', () => {
  it.each([
    { name: 'no gap', gaps: [], missed: 0 },
    { name: 'one inside', gaps: [[120, 150]], missed: 30 },
    { name: 'one that begins before', gaps: [[50, 130]], missed: 30 },
    { name: 'one that goes on', gaps: [[190, 900]], missed: 10 },
    { name: 'one around everything', gaps: [[0, 900]], missed: 100 },
    { name: 'one that ends where it begins to count', gaps: [[50, 100]], missed: 0 },
    { name: 'one that begins where it ends', gaps: [[200, 300]], missed: 0 },
    {
      name: 'two that overlap',
      gaps: [
        [110, 140],
        [130, 150],
      ],
      missed: 40,
    },
    {
      name: 'one inside another',
      gaps: [
        [110, 150],
        [120, 130],
      ],
      missed: 40,
    },
  ] as const)('of $name between 100 and 200 is $missed', ({ gaps, missed }) => {
    expect(missedMs(gaps.map(gapOf), epochMs(100), epochMs(200))).toBe(missed)
  })

  it('is the number of moments that lie in any gap', () => {
    const gap = fc.tuple(fc.nat(60), fc.nat(60)).map(([from, length]) => [from, from + length])
    fc.assert(
      fc.property(fc.array(gap), fc.nat(40), fc.nat(60), (unsorted, since, length) => {
        const gaps = unsorted
          .map(([from = 0, to = 0]) => [from, to] as const)
          .toSorted(([one], [other]) => one - other)
        const moments = Array.from({ length }, (_, index) => since + index)

        expect(missedMs(gaps.map(gapOf), epochMs(since), epochMs(since + length))).toBe(
          moments.filter((at) => gaps.some(([from, to]) => from <= at && at < to)).length,
        )
      }),
    )
  })
})
