import type { ReadingOrigin } from '../facts/reading.ts'
import { type EpochMs, epochMs, plusMs } from '../facts/time.ts'
import { type MainWindowId, mainWindows } from '../facts/window.ts'
import { decimatedReadings } from './decimate-readings.ts'

const DAY_SECONDS = 24 * 3600

/** How far back a course can reach, in seconds. */
export const courseRanges = {
  '24h': DAY_SECONDS,
  '7d': 7 * DAY_SECONDS,
  '30d': 30 * DAY_SECONDS,
} as const

/** How far back a course reaches. */
export type CourseRangeId = keyof typeof courseRanges
/** Shortest first. */
export const courseRangeIds = Object.keys(courseRanges) as readonly CourseRangeId[]

/** What is asked of a course. */
export interface CourseQuery {
  readonly accountKey: string
  readonly range: CourseRangeId
}

/** As of when a course is asked for, and how long a pool that is watched is silent at most. */
export interface CourseMoment {
  readonly now: EpochMs
  readonly silentMsMax: number
}

/** From `from` up to `to`. */
export interface Stretch {
  readonly from: EpochMs
  readonly to: EpochMs
}

/** One recorded reading of a window. It is recorded when it differs from the one before, so it stands until the next one. */
export interface CourseReading {
  readonly at: EpochMs
  /** Percent remaining, 0..100. */
  readonly percent: number
  readonly resetAt: EpochMs | null
  /** What it came with; null where that was not recorded. */
  readonly origin: ReadingOrigin | null
  /** When it was taken, which is before it was recorded; null where that was not recorded. */
  readonly sampledAt: EpochMs | null
}

/** A reading in its course. */
export interface CoursePoint extends CourseReading {
  /** Taken before a reset that had passed when it was recorded: the window counts as full, but nothing had shown it yet. */
  readonly rolledOver: boolean
}

/** A window that was refilled. */
export interface CourseReset {
  readonly at: EpochMs
  /** Percent remaining in the last reading before and in the first one after. */
  readonly before: number
  readonly after: number
  /** False for a refill at a time that the readings before did not announce. */
  readonly expected: boolean
}

/** What was recorded of one window of one account. */
export interface WindowCourse {
  readonly windowId: MainWindowId
  /** Oldest first. The first one may lie before the span: it stood when the span began. */
  readonly points: readonly CoursePoint[]
  /** Readings there were before the points were chosen among them. */
  readonly readingCount: number
  /** Oldest first; the newest `COURSE_RESETS_MAX`. */
  readonly resets: readonly CourseReset[]
  /** Where nothing is known, oldest first; they neither overlap nor touch. */
  readonly gaps: readonly Stretch[]
}

/** What a course is made from. */
export interface WindowRecord {
  readonly windowId: MainWindowId
  /** Of the span, and the newest one before it; oldest first. */
  readonly readings: readonly CourseReading[]
  /** When nobody watched the pool. */
  readonly unwatched: readonly Stretch[]
}

/** Points of one window at most. */
export const COURSE_POINTS_MAX = 500
/** A 5h window is reset 144 times in 30 days. */
export const COURSE_RESETS_MAX = 160
/** The readings around the newest so many gaps are always among the points. */
const GAPS_KEPT_MAX = 40
/** A refill that nothing announced gives at least so many points back; less is a correction. */
const UNEXPECTED_RISE_MIN = 20
/** A reset that moves by less is the same one. */
const SAME_RESET_MS = 60_000

/** The stretch that a range covers as of `now`. */
export function courseSpanOf(range: CourseRangeId, now: EpochMs): Stretch {
  return { from: plusMs(now, -courseRanges[range] * 1000), to: now }
}

/** A pool of which nothing is recorded for so long, in milliseconds, was not watched. The pace is `history_write_seconds`. */
export function silentMsMaxOf(writeSeconds: number): number {
  return 2 * Math.max(SIGN_OF_LIFE_MS, writeSeconds * 1000)
}

/** A quiet pool is recorded this often. */
const SIGN_OF_LIFE_MS = 15 * 60_000

/** The course of one window over a span. See docs/rules.md#course-of-an-account. */
export function windowCourseOf(
  { windowId, readings, unwatched }: WindowRecord,
  span: Stretch,
  silentMsMax: number,
): WindowCourse {
  const gaps = merged([...unwatched, ...unknownStretches(readings, span, silentMsMax)], span)
  const passed = resetsOf(readings).filter(({ reset }) => reset.at >= span.from)
  const resets = passed.slice(-COURSE_RESETS_MAX)
  const points = pointsOf(readings)
  const shown = gaps[0]?.from === span.from ? points.filter(({ at }) => at >= span.from) : points
  const edges = [
    ...resets.map(({ readAt }) => readAt),
    ...gaps.slice(-GAPS_KEPT_MAX).map(({ to }) => to),
  ]
  return {
    windowId,
    points: decimatedReadings(shown, { edges, pointsMax: COURSE_POINTS_MAX }),
    readingCount: shown.length,
    resets: resets.map(({ reset }) => reset),
    gaps,
  }
}

function pointsOf(readings: readonly CourseReading[]): readonly CoursePoint[] {
  return readings.map((reading, index) => {
    const announcedAt = readings[index - 1]?.resetAt ?? null
    const rolledOver =
      announcedAt !== null &&
      reading.sampledAt !== null &&
      announcedAt <= reading.at &&
      reading.sampledAt < announcedAt
    return { ...reading, rolledOver }
  })
}

/** The courses of an account of which nothing is recorded: one gap each. */
export function unrecordedCourses({ range }: CourseQuery, now: EpochMs): readonly WindowCourse[] {
  const span = courseSpanOf(range, now)
  return mainWindows.map(({ id: windowId }) =>
    windowCourseOf({ windowId, readings: [], unwatched: [] }, span, 0),
  )
}

/** Each reset, and when the first reading after it was recorded. */
function resetsOf(
  readings: readonly CourseReading[],
): readonly { readonly reset: CourseReset; readonly readAt: EpochMs }[] {
  return readings.slice(1).flatMap((next, index) => {
    const previous = readings[index]
    const reset = previous === undefined ? null : resetBetween(previous, next)
    return reset === null ? [] : [{ reset, readAt: next.at }]
  })
}

function resetBetween(previous: CourseReading, next: CourseReading): CourseReset | null {
  const change = { before: previous.percent, after: next.percent }
  const announcedAt = previous.resetAt
  // A window that was full before has got nothing back.
  if (announcedAt !== null && announcedAt <= next.at && previous.percent < 100)
    return isSameReset(announcedAt, next.resetAt)
      ? null
      : { at: epochMs(Math.max(announcedAt, previous.at)), ...change, expected: true }
  return next.percent - previous.percent >= UNEXPECTED_RISE_MIN
    ? { at: next.at, ...change, expected: false }
    : null
}

function isSameReset(one: EpochMs, other: EpochMs | null): boolean {
  return other !== null && Math.abs(one - other) < SAME_RESET_MS
}

/** Before the first reading nothing is known, nor from the reset of a reading on, until the next one shows what it brought. */
function unknownStretches(
  readings: readonly CourseReading[],
  span: Stretch,
  silentMsMax: number,
): readonly Stretch[] {
  const [first] = readings
  if (first === undefined) return [span]
  const afterResets = readings.flatMap(({ at, resetAt }, index): readonly Stretch[] => {
    if (resetAt === null) return []
    const from = epochMs(Math.max(at, resetAt))
    const to = readings[index + 1]?.at ?? span.to
    return to - from > silentMsMax ? [{ from, to }] : []
  })
  return [{ from: span.from, to: first.at }, ...afterResets]
}

/** The parts of these inside the span, those that overlap or touch put together. */
function merged(stretches: readonly Stretch[], span: Stretch): readonly Stretch[] {
  const inside = stretches
    .map(({ from, to }) => ({
      from: epochMs(Math.max(from, span.from)),
      to: epochMs(Math.min(to, span.to)),
    }))
    .filter(({ from, to }) => from < to)
    .sort((one, other) => one.from - other.from)
  const result: { readonly from: EpochMs; to: EpochMs }[] = []
  for (const stretch of inside) {
    const last = result.at(-1)
    if (last === undefined || stretch.from > last.to) result.push({ ...stretch })
    else last.to = epochMs(Math.max(last.to, stretch.to))
  }
  return result
}
