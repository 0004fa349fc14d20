import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { missedMs } from './missed-time.ts'

const gapOf = ([from, to]: readonly [number, number]) => ({ from, to })

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
    expect(missedMs(gaps.map(gapOf), 100, 200)).toBe(missed)
  })

  it('is the number of moments that lie in any gap', () => {
    const gap = fc.tuple(fc.nat(60), fc.nat(60)).map(([from, length]) => [from, from + length])
    fc.assert(
      fc.property(fc.array(gap), fc.nat(40), fc.nat(60), (unsorted, since, length) => {
        const gaps = unsorted
          .map(([from = 0, to = 0]) => [from, to] as const)
          .toSorted(([one], [other]) => one - other)
        const moments = Array.from({ length }, (_, index) => since + index)

        expect(missedMs(gaps.map(gapOf), since, since + length)).toBe(
          moments.filter((at) => gaps.some(([from, to]) => from <= at && at < to)).length,
        )
      }),
    )
  })
})
