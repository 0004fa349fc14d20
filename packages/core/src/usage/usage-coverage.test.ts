import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs } from '../facts/time.ts'
import { isUncovered, usageCoverageOf } from './usage-coverage.ts'

const interval = (from: number, to: number) => ({ from: epochMs(from), to: epochMs(to) })
const SPAN = { from: epochMs(100), end: epochMs(200) }

const coverage = (since: number | null, ...missed: readonly (readonly [number, number])[]) =>
  usageCoverageOf(SPAN, {
    since: since as EpochMs | null,
    missed: missed.map(([from, to]) => interval(from, to)),
  })

describe('the coverage of a chart', () => {
  it.each([
    { what: 'watched all the time', percent: 100, gaps: [] },
    { what: 'watched from its very start', since: 100, percent: 100, gaps: [] },
    {
      what: 'older than the history',
      since: 140,
      percent: 100,
      gaps: [[100, 140, 'before-history']],
    },
    {
      what: 'without any history',
      since: null,
      percent: null,
      gaps: [[100, 200, 'before-history']],
    },
    {
      what: 'that ends where the history begins',
      since: 200,
      percent: null,
      gaps: [[100, 200, 'before-history']],
    },
    {
      what: 'in which a quarter was missed',
      missed: [[120, 145]],
      percent: 75,
      gaps: [[120, 145, 'missed']],
    },
    {
      what: 'whose gaps reach over both ends',
      missed: [
        [10, 110],
        [190, 900],
      ],
      percent: 80,
      gaps: [
        [100, 110, 'missed'],
        [190, 200, 'missed'],
      ],
    },
    {
      what: 'whose gaps touch, overlap and lie in each other',
      missed: [
        [110, 150],
        [120, 130],
        [140, 155],
        [155, 160],
      ],
      percent: 50,
      gaps: [[110, 160, 'missed']],
    },
    {
      what: 'with a gap that began before the history',
      since: 120,
      missed: [[90, 140]],
      percent: 75,
      gaps: [
        [100, 120, 'before-history'],
        [120, 140, 'missed'],
      ],
    },
  ] as const)('$what', ({ since = 50, missed = [], percent, gaps }) => {
    const seen = coverage(since, ...missed)

    expect(seen.percent).toBe(percent)
    expect(seen.gaps.map(({ from, to, reason }) => [from, to, reason])).toEqual(gaps)
  })

  it('has in its gaps exactly the moments that were missed or lie before the history', () => {
    const gap = fc.tuple(fc.nat(260), fc.nat(60))
    fc.assert(
      fc.property(fc.array(gap), fc.nat(260), (unsorted, since) => {
        const missed = unsorted
          .map(([from, length]) => [from, from + length] as const)
          .toSorted(([one], [other]) => one - other)
        const { gaps, percent } = coverage(since, ...missed)
        const moments = Array.from({ length: 100 }, (_, index) => 100 + index)
        const isMissed = (at: number) => missed.some(([from, to]) => from <= at && at < to)

        expect(moments.filter((at) => gaps.some(({ from, to }) => from <= at && at < to))).toEqual(
          moments.filter((at) => at < since || isMissed(at)),
        )
        const watched = moments.filter((at) => at >= since)
        if (watched.length === 0) expect(percent).toBe(null)
        else {
          const known = watched.filter((at) => !isMissed(at)).length
          expect(percent).toBeCloseTo((100 * known) / watched.length, 9)
        }
      }),
    )
  })
})

describe('a bucket', () => {
  it.each([
    { what: 'inside one gap', from: 120, to: 130, uncovered: true },
    { what: 'that is one gap', from: 110, to: 140, uncovered: true },
    { what: 'over two gaps that touch', from: 90, to: 140, uncovered: true },
    { what: 'with one moment before the gap', from: 79, to: 100, uncovered: false },
    { what: 'with one moment after the gap', from: 120, to: 141, uncovered: false },
    { what: 'around a gap', from: 150, to: 180, uncovered: false },
    { what: 'after all gaps', from: 180, to: 190, uncovered: false },
  ])('$what: $uncovered that nothing is known of it', ({ from, to, uncovered }) => {
    const gaps = [
      { ...interval(80, 110), reason: 'before-history' as const },
      { ...interval(110, 140), reason: 'missed' as const },
      { ...interval(160, 170), reason: 'missed' as const },
    ]

    expect(isUncovered({ gaps }, interval(from, to))).toBe(uncovered)
  })
})
