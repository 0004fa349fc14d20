import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs, type Interval, plusMs } from '../facts/time.ts'
import { NOW } from '../testing/builders.ts'
import {
  COURSE_POINTS_MAX,
  COURSE_RESETS_MAX,
  type CourseReading,
  courseSpanOf,
  decimatedReadings,
  silentMsMaxOf,
  windowCourseOf,
} from './quota-course.ts'

const MINUTE_MS = 60_000
const SPAN = courseSpanOf('24h', NOW)
const SILENT_MS = silentMsMaxOf(60)

/** Instant by minutes since the span began; negative before it. */
const at = (minutes: number): EpochMs => plusMs(SPAN.from, minutes * MINUTE_MS)
const minuteOf = (instant: EpochMs) => (instant - SPAN.from) / MINUTE_MS
const reading = (
  minutes: number,
  percent: number,
  resets: number | null = null,
): CourseReading => ({
  at: at(minutes),
  percent,
  resetAt: resets === null ? null : at(resets),
  origin: 'direct',
  sampledAt: at(minutes - 1),
})
const course = (readings: readonly CourseReading[], unwatched: readonly Interval[] = []) =>
  windowCourseOf({ windowId: '5h', readings, unwatched }, SPAN, SILENT_MS)
const gapsIn = (readings: readonly CourseReading[], unwatched: readonly Interval[] = []) =>
  course(readings, unwatched).gaps.map(({ from, to }) => [minuteOf(from), minuteOf(to)])

describe('the resets in a course', () => {
  const AT_300 = 300
  it.each([
    {
      what: 'announced and read a minute later',
      readings: [reading(10, 40, AT_300), reading(301, 100)],
      resets: [{ minute: 300, before: 40, after: 100, expected: true }],
    },
    {
      what: 'announced, passed unseen, and used again by the next reading',
      readings: [reading(10, 40, AT_300), reading(500, 30, 800)],
      resets: [{ minute: 300, before: 40, after: 30, expected: true }],
    },
    {
      what: 'announced and read at that very instant',
      readings: [reading(10, 40, AT_300), reading(300, 100, 600)],
      resets: [{ minute: 300, before: 40, after: 100, expected: true }],
    },
    {
      what: 'unannounced, 20 points back',
      readings: [reading(10, 40, AT_300), reading(100, 60, AT_300)],
      resets: [{ minute: 100, before: 40, after: 60, expected: false }],
    },
    {
      what: 'nothing, as 19 points are a correction',
      readings: [reading(10, 40, AT_300), reading(100, 59, AT_300)],
    },
    {
      what: 'nothing, as the window was full before',
      readings: [reading(10, 100, AT_300), reading(301, 100, 600)],
    },
    {
      what: 'nothing, as a late reading still names the same reset',
      readings: [reading(10, 40, AT_300), reading(301, 38, AT_300)],
    },
    {
      what: 'nothing, as it lies before the span',
      readings: [reading(-60, 40, -1), reading(5, 90, 250)],
    },
  ])('are $what', ({ readings, resets = [] }) => {
    expect(
      course(readings).resets.map(({ at: instant, ...change }) => ({
        minute: minuteOf(instant),
        ...change,
      })),
    ).toEqual(resets)
  })

  it('are the newest ones where a vendor resets all the time, and the points stay few', () => {
    const readings = Array.from({ length: 1_440 }, (_, minute) =>
      reading(minute, minute % 2 === 0 ? 0 : 100),
    )
    const { resets, points } = course(readings)

    expect(resets).toHaveLength(COURSE_RESETS_MAX)
    expect(minuteOf(resets.at(-1)?.at ?? NOW)).toBe(1_439)
    expect(points.length).toBeLessThanOrEqual(COURSE_POINTS_MAX)
  })
})

describe('a point of a course is full but unproven', () => {
  it.each([
    {
      what: 'where it was taken before the reset that it was recorded after',
      sampled: 299,
      isProven: false,
    },
    { what: 'not where it was taken at the reset', sampled: 300, isProven: true },
    { what: 'not where it was taken later', sampled: 300.5, isProven: true },
    { what: 'not where nobody knows when it was taken', sampled: null, isProven: true },
  ])('$what', ({ sampled, isProven }) => {
    const after = { ...reading(301, 100), sampledAt: sampled === null ? null : at(sampled) }
    const { points } = course([reading(10, 40, 300), after])

    expect(points.map(({ rolledOver }) => rolledOver)).toEqual([false, !isProven])
  })

  it('not before its reset, however old the reading is', () => {
    const late = { ...reading(299, 30, 300), sampledAt: at(5) }

    expect(course([reading(10, 40, 300), late]).points[1]?.rolledOver).toBe(false)
  })
})

describe('the gaps in a course', () => {
  it.each([
    ['all of it without a reading', [], [[0, 1_440]]],
    ['what lies before the first reading', [reading(60, 50)], [[0, 60]]],
    ['none where a reading from before the span still stands', [reading(-300, 50)], []],
    [
      'what follows a reset until somebody has read what it brought',
      [reading(0, 50, 300), reading(331, 90)],
      [[300, 331]],
    ],
    [
      'none where the reset is read within half an hour',
      [reading(0, 50, 300), reading(330, 90)],
      [],
    ],
    ['what follows the reset of the last reading', [reading(0, 50, 300)], [[300, 1_440]]],
  ])('are $0', (_, readings, gaps) => {
    expect(gapsIn(readings)).toEqual(gaps)
  })

  it('are what nobody watched, cut to the span and put together where they overlap or touch', () => {
    const unwatched = [
      { from: at(200), to: at(300) },
      { from: at(-100), to: at(10) },
      { from: at(250), to: at(320) },
      { from: at(320), to: at(400) },
      { from: at(1_400), to: at(1_500) },
    ]

    expect(gapsIn([reading(-200, 50)], unwatched)).toEqual([
      [0, 10],
      [200, 400],
      [1_400, 1_440],
    ])
  })

  it('let no reading from before the span reach over them', () => {
    const readings = [reading(-200, 50), reading(30, 40)]
    const { points, readingCount } = course(readings, [{ from: at(-100), to: at(30) }])

    expect(points.map(({ at: instant }) => minuteOf(instant))).toEqual([30])
    expect(readingCount).toBe(1)
    expect(course(readings).points).toHaveLength(2)
  })

  it.each([
    { writeSeconds: 5, minutes: 30 },
    { writeSeconds: 900, minutes: 30 },
    { writeSeconds: 3_600, minutes: 120 },
  ])(
    'begin after $minutes min of silence where the pool is recorded every $writeSeconds s',
    ({ writeSeconds, minutes }) => {
      expect(silentMsMaxOf(writeSeconds)).toBe(minutes * MINUTE_MS)
    },
  )
})

const readingAt = (at: number, percent: number) => ({ at: epochMs(at), percent })
const steadily = (count: number, percent = 50) =>
  Array.from({ length: count }, (_, index) => readingAt(index * 1000, percent))
const instants = (readings: readonly { readonly at: EpochMs }[]) => readings.map(({ at }) => at)

describe('readings that are too many for a chart', () => {
  it.each([
    { what: 'none', count: 0 },
    { what: 'one', count: 1 },
    { what: 'as many as fit', count: 20 },
  ])('are all kept where there are $what', ({ count }) => {
    const readings = steadily(count)

    expect(decimatedReadings(readings, { edges: [], pointsMax: 20 })).toBe(readings)
  })

  it.each([
    { what: 'between two readings', edge: 400_500, kept: [400_000, 401_000] },
    { what: 'at a readingAt', edge: 400_000, kept: [399_000, 400_000] },
    { what: 'before the first', edge: -5, kept: [0] },
    { what: 'after the last', edge: 2_000_000, kept: [999_000] },
  ])('keep their neighbours of an edge $what', ({ edge, kept }) => {
    const shown = decimatedReadings(steadily(1_000), { edges: [epochMs(edge)], pointsMax: 20 })

    expect(instants(shown)).toEqual(expect.arrayContaining(kept))
  })

  it('are spread over the time, not over their number', () => {
    const burst = Array.from({ length: 900 }, (_, index) => readingAt(index, 50))
    const quiet = Array.from({ length: 100 }, (_, index) => readingAt(100_000 + index * 9_000, 50))
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
          const readings = all.map((at, index) => readingAt(at, percents[index] ?? 0))
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
