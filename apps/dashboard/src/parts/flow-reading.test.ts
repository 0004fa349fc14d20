import { describe, expect, it } from 'vitest'
import { type FlowCourse, readingAt, stopsOf } from './flow-reading.ts'

/** A chart from 0 to 1,000 with now at 500 and two coming resets. */
const course: FlowCourse = {
  past: [
    { atMs: 100, units: 9 },
    { atMs: 200, units: 8 },
    { atMs: 400, units: 6, isAfterGap: true },
  ],
  steps: [
    { atMs: 600, units: 1, total: 6 },
    { atMs: 800, units: 2, total: 8 },
  ],
  known: 5,
  startMs: 0,
  nowMs: 500,
  endMs: 1_000,
}

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
    { what: 'before the first reset', ms: 550, atMs: 550, when: 'coming', units: 5 },
    { what: 'at a reset', ms: 600, atMs: 600, when: 'coming', units: 6 },
    { what: 'after the last reset', ms: 900, atMs: 900, when: 'coming', units: 8 },
    { what: 'beyond its end', ms: 2_000, atMs: 1_000, when: 'coming', units: 8 },
    { what: 'beyond its start', ms: -5, atMs: 0, when: 'past', units: null },
  ] as const)('$what is $units', ({ ms, atMs, when, units }) => {
    expect(readingAt(course, ms)).toEqual({ atMs, when, units })
  })

  it('is what is left now where nothing was recorded and nothing comes', () => {
    const empty = { ...course, past: [], steps: [] }

    expect(readingAt(empty, 700)).toEqual({ atMs: 700, when: 'coming', units: 5 })
    expect(readingAt(empty, 300).units).toBeNull()
  })

  it.each([
    { ms: 495, when: 'past', units: 7 },
    { ms: 498, when: 'now', units: 5 },
    { ms: 504, when: 'coming', units: 6 },
  ] as const)(
    'can be asked for exactly, also close to now: $ms is $when',
    ({ ms, when, units }) => {
      const past = [...course.past, { atMs: 495, units: 7 }]
      const steps = [{ atMs: 504, units: 1, total: 6 }]

      expect(readingAt({ ...course, past, steps }, ms)).toMatchObject({ when, units })
    },
  )
})

describe('the stops of a chart', () => {
  it('are its records, now, its resets and its end, each once', () => {
    expect(stopsOf(course)).toEqual([100, 200, 400, 500, 600, 800, 1_000])
    expect(stopsOf({ ...course, past: [], steps: [{ atMs: 1_000, units: 1, total: 6 }] })).toEqual([
      500, 1_000,
    ])
  })
})
