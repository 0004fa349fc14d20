import { describe, expect, it } from 'vitest'
import {
  expectedCourse,
  type FlowCourse,
  flowReadingAt,
  readerStops,
  unusedCourse,
} from './flow-reader.tsx'

const times = { usable: 5, held: 0, startMs: 0, nowMs: 500, endMs: 1_000 }
/** A chart from 0 to 1,000 with now at 500 and two coming resets. */
const course: FlowCourse = {
  past: [
    { atMs: 100, units: 9 },
    { atMs: 200, units: 8 },
    { atMs: 400, units: 6, isAfterGap: true },
  ],
  coming: unusedCourse(
    [
      { atMs: 600, units: 1, total: 6 },
      { atMs: 800, units: 2, total: 8 },
    ],
    times,
  ),
  kind: 'unused',
  ...times,
}
const point = (atMs: number, low: number, expected: number, high: number) => ({
  atMs,
  low,
  expected,
  high,
})

describe('what a chart says of a time', () => {
  it.each([
    { what: 'before anything was recorded', ms: 50, atMs: 50, when: 'past', units: null },
    { what: 'just before the first record', ms: 95, atMs: 100, when: 'past', units: 9 },
    { what: 'at a record', ms: 100, atMs: 100, when: 'past', units: 9 },
    { what: 'nearer to the earlier of two records', ms: 149, atMs: 100, when: 'past', units: 9 },
    { what: 'nearer to the later of two records', ms: 151, atMs: 200, when: 'past', units: 8 },
    { what: 'beside a gap', ms: 205, atMs: 200, when: 'past', units: 8 },
    { what: 'in a gap', ms: 300, atMs: 300, when: 'past', units: null },
    { what: 'at the end of a gap', ms: 395, atMs: 400, when: 'past', units: 6 },
    { what: 'after the last record', ms: 480, atMs: 400, when: 'past', units: 6 },
    { what: 'at about now', ms: 509, atMs: 500, when: 'now', units: 5 },
    { what: 'before the first reset', ms: 550, atMs: 550, when: 'unused', units: 5 },
    { what: 'at a reset', ms: 600, atMs: 600, when: 'unused', units: 6 },
    { what: 'after the last reset', ms: 900, atMs: 900, when: 'unused', units: 8 },
    { what: 'beyond its end', ms: 2_000, atMs: 1_000, when: 'unused', units: 8 },
    { what: 'beyond its start', ms: -5, atMs: 0, when: 'past', units: null },
  ] as const)('$what is $units', ({ ms, atMs, when, units }) => {
    const same = when === 'unused' ? { expected: units, low: units, high: units } : { units }
    expect(flowReadingAt(course, ms)).toEqual({ atMs, when, held: 0, ...same })
  })

  it('is what is left now where nothing was recorded and nothing comes', () => {
    const empty = { ...course, past: [], coming: unusedCourse([], times) }

    expect(flowReadingAt(empty, 700)).toMatchObject({ when: 'unused', expected: 5 })
    expect(flowReadingAt(empty, 300)).toEqual({ when: 'past', atMs: 300, units: null, held: 0 })
  })

  it.each([
    { ms: 495, reading: { when: 'past', units: 7 } },
    { ms: 498, reading: { when: 'now', units: 5 } },
    { ms: 504, reading: { when: 'unused', expected: 6 } },
  ])('can be asked for exactly, also close to now: $ms', ({ ms, reading }) => {
    const past = [...course.past, { atMs: 495, units: 7 }]
    const coming = unusedCourse([{ atMs: 504, units: 1, total: 6 }], times)

    expect(flowReadingAt({ ...course, past, coming }, ms)).toMatchObject(reading)
  })

  it.each([
    { what: 'between two points', ms: 550, shape: [4.5, 4.75, 5] },
    { what: 'after a reset', ms: 600, shape: [5, 6, 7] },
    { what: 'after the last point', ms: 900, shape: [2, 4, 6] },
  ])('is of a forecast, $what', ({ ms, shape }) => {
    const coming = [
      point(500, 5, 5, 5),
      point(600, 4, 4.5, 5),
      point(600, 5, 6, 7),
      point(800, 2, 4, 6),
    ]
    const [low, expected, high] = shape

    expect(flowReadingAt({ ...course, coming, kind: 'expected' }, ms)).toEqual({
      when: 'expected',
      atMs: ms,
      held: 0,
      low,
      expected,
      high,
    })
  })
})

describe('a forecast in a chart', () => {
  it('begins now with what is known, and ends with the chart', () => {
    const points = [point(480, 6, 6, 6), point(600, 3, 4, 5), point(1_400, 1, 2, 3)]

    expect(expectedCourse(points, times)).toEqual([
      { ...point(500, 5, 5, 5), held: 0 },
      point(600, 3, 4, 5),
      { ...point(1_000, 2, 3, 4), held: 0 },
    ])
  })

  it('ends where its data end', () => {
    expect(expectedCourse([point(700, 1, 2, 3)], times).at(-1)?.atMs).toBe(700)
  })
})

describe('the stops of a chart', () => {
  it('are its records, now, its resets and its end, each once', () => {
    expect(readerStops(course)).toEqual([100, 200, 400, 500, 600, 800, 1_000])
    expect(readerStops({ ...course, past: [], coming: unusedCourse([], times) })).toEqual([
      500, 1_000,
    ])
  })
})
