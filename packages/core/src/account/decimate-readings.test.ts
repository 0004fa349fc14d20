import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs } from '../facts/time.ts'
import { decimatedReadings } from './decimate-readings.ts'

const reading = (at: number, percent: number) => ({ at: epochMs(at), percent })
const steady = (count: number, percent = 50) =>
  Array.from({ length: count }, (_, index) => reading(index * 1000, percent))
const instants = (readings: readonly { readonly at: EpochMs }[]) => readings.map(({ at }) => at)

describe('readings that are too many for a chart', () => {
  it.each([
    { what: 'none', count: 0 },
    { what: 'one', count: 1 },
    { what: 'as many as fit', count: 20 },
  ])('are all kept where there are $what', ({ count }) => {
    const readings = steady(count)

    expect(decimatedReadings(readings, { edges: [], pointsMax: 20 })).toBe(readings)
  })

  it.each([
    { what: 'a lone fall', percent: 3 },
    { what: 'a lone rise', percent: 97 },
  ])('keep $what among a thousand', ({ percent }) => {
    const readings = steady(1_000).with(617, reading(617_000, percent))

    expect(decimatedReadings(readings, { edges: [], pointsMax: 20 })).toContainEqual(
      reading(617_000, percent),
    )
  })

  it.each([
    { what: 'between two readings', edge: 400_500, kept: [400_000, 401_000] },
    { what: 'at a reading', edge: 400_000, kept: [399_000, 400_000] },
    { what: 'before the first', edge: -5, kept: [0] },
    { what: 'after the last', edge: 2_000_000, kept: [999_000] },
  ])('keep their neighbours of an edge $what', ({ edge, kept }) => {
    const shown = decimatedReadings(steady(1_000), { edges: [epochMs(edge)], pointsMax: 20 })

    expect(instants(shown)).toEqual(expect.arrayContaining(kept))
  })

  it('are spread over the time, not over their number', () => {
    const burst = Array.from({ length: 900 }, (_, index) => reading(index, 50))
    const quiet = Array.from({ length: 100 }, (_, index) => reading(100_000 + index * 9_000, 50))
    const shown = decimatedReadings([...burst, ...quiet], { edges: [], pointsMax: 42 })

    expect(shown.filter(({ at }) => at < 1_000)).toHaveLength(2)
    expect(shown.filter(({ at }) => at >= 1_000).length).toBeGreaterThan(15)
  })

  it('keep the lowest and the highest, both ends, each edge and their order, whatever they are', () => {
    const ordered = fc
      .uniqueArray(fc.integer({ min: 0, max: 1e7 }), { minLength: 70, maxLength: 120 })
      .map((all) => all.sort((one, other) => one - other))
    fc.assert(
      fc.property(
        ordered.chain((all) =>
          fc.tuple(
            fc.constant(all),
            fc.array(fc.integer({ min: 0, max: 100 }), {
              minLength: all.length,
              maxLength: all.length,
            }),
            fc.array(fc.constantFrom(...all), { maxLength: 10 }),
          ),
        ),
        fc.integer({ min: 30, max: 60 }),
        ([all, percents, edges], pointsMax) => {
          const readings = all.map((at, index) => reading(at, percents[index] ?? 0))
          const shown = decimatedReadings(readings, { edges: edges.map(epochMs), pointsMax })
          const shownPercents = shown.map(({ percent }) => percent)

          expect(shown.length).toBeLessThanOrEqual(pointsMax)
          expect(Math.min(...shownPercents)).toBe(Math.min(...percents))
          expect(Math.max(...shownPercents)).toBe(Math.max(...percents))
          expect([shown[0], shown.at(-1)]).toEqual([readings[0], readings.at(-1)])
          expect(instants(shown)).toEqual(expect.arrayContaining(edges))
          expect(shown).toEqual(readings.filter((each) => shown.includes(each)))
        },
      ),
      // Shrinking so many readings takes minutes.
      { endOnFailure: true },
    )
  })
})
