import type { ReadingOrigin } from '../facts/reading.ts'
import { type EpochMs, epochMs, type Interval, MINUTE_MS, plusMs } from '../facts/time.ts'
import { type MainWindowId, mainWindows } from '../facts/window.ts'
import { decimatedReadings } from './decimate-readings.ts'
import { type Cycle, cyclesOf } from './window-cycles.ts'

const DAY_SECONDS = 24 * 3600

/** Ranges a course can cover, in seconds before now. */
export const courseRanges = {
  '24h': DAY_SECONDS,
  '7d': 7 * DAY_SECONDS,
  '30d': 30 * DAY_SECONDS,
} as const

/** Name of a range a course can cover. */
export type CourseRangeId = keyof typeof courseRanges
/** Shortest first. */
export const courseRangeIds = Object.keys(courseRanges) as readonly CourseRangeId[]

/** Account and range of a requested course. */
export interface CourseQuery {
  readonly accountKey: string
  readonly range: CourseRangeId
}

/** Reference time of a course, and the longest silence of a watched pool. */
export interface CourseMoment {
  readonly now: EpochMs
  readonly silentMsMax: number
}

/** One reading of a window, recorded because it differs from the previous one; in effect until the next one. */
export interface CourseReading {
  readonly at: EpochMs
  /** Percent remaining, 0..100. */
  readonly percent: number
  readonly resetAt: EpochMs | null
  /** Origin of the reading; null if it was not recorded. */
  readonly origin: ReadingOrigin | null
  /** Time the reading was taken, which is before it was recorded; null if it was not recorded. */
  readonly sampledAt: EpochMs | null
}

/** A reading as a point of a course. */
export interface CoursePoint extends CourseReading {
  /** True if the reading predates a reset that had passed by the time of recording: the window counts as full, but unconfirmed. */
  readonly rolledOver: boolean
}

/** A window that was refilled. */
export interface CourseReset {
  readonly at: EpochMs
  /** Percent remaining in the last reading before the refill and in the first one after. */
  readonly before: number
  readonly after: number
  /** False for a refill at a time that earlier readings did not announce. */
  readonly expected: boolean
}

/** Readings, resets, gaps and cycles of one window of one account over a span. */
export interface WindowCourse {
  readonly windowId: MainWindowId
  /** Oldest first. The first one may lie before the span, because it stood when the span began. */
  readonly points: readonly CoursePoint[]
  /** Number of readings before points were selected from them. */
  readonly readingCount: number
  /** Oldest first; the newest `COURSE_RESETS_MAX`. */
  readonly resets: readonly CourseReset[]
  /** Intervals without knowledge of the window, oldest first; they neither overlap nor touch. */
  readonly gaps: readonly Interval[]
  /** Cycles that ended within the span or still run, oldest first. The first one may have begun before the span. */
  readonly cycles: readonly Cycle[]
}

/** Recorded data a course is built from. */
export interface WindowRecord {
  readonly windowId: MainWindowId
  /** Readings within the span and the newest one before it; oldest first. */
  readonly readings: readonly CourseReading[]
  readonly unwatched: readonly Interval[]
}

/** Most points of one window. */
export const COURSE_POINTS_MAX = 500
/** Most resets of one window: a 5h window is reset 144 times in 30 days. */
export const COURSE_RESETS_MAX = 160
/** The readings around this many of the newest gaps are always among the points. */
const GAPS_KEPT_MAX = 40
/** Smallest rise, in percentage points, that counts as an unannounced refill; less is a correction. */
export const UNEXPECTED_RISE_MIN = 20
/** A reset that moves by less than this between two recorded readings is the same reset. */
const RECORDED_RESET_DRIFT_MS = MINUTE_MS

/** The interval that a range covers as of `now`. */
export function courseSpanOf(range: CourseRangeId, now: EpochMs): Interval {
  return { from: plusMs(now, -courseRanges[range] * 1000), to: now }
}

/** Longest silence of a watched pool, in milliseconds; a longer one means that the pool was not watched. The pace is `history_write_seconds`. */
export function silentMsMaxOf(writeSeconds: number): number {
  return 2 * Math.max(SIGN_OF_LIFE_MS, writeSeconds * 1000)
}

/** Interval at which a quiet pool is recorded. */
const SIGN_OF_LIFE_MS = 15 * 60_000

/** The course of one window over a span. See docs/rules.md#course-of-an-account. */
export function windowCourseOf(
  { windowId, readings, unwatched }: WindowRecord,
  span: Interval,
  silentMsMax: number,
): WindowCourse {
  const gaps = joinInside([...unwatched, ...unknownIntervals(readings, span, silentMsMax)], span)
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
    cycles: cyclesOf({ windowId, readings, unwatched }, span),
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

/** The courses of an account without records: each is a single gap. */
export function unrecordedCourses({ range }: CourseQuery, now: EpochMs): readonly WindowCourse[] {
  const span = courseSpanOf(range, now)
  return mainWindows.map(({ id: windowId }) =>
    windowCourseOf({ windowId, readings: [], unwatched: [] }, span, 0),
  )
}

/** Each reset, with the time the first reading after it was recorded. */
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
  // A window that was already full got nothing back.
  if (announcedAt !== null && announcedAt <= next.at && previous.percent < 100)
    return isSameReset(announcedAt, next.resetAt)
      ? null
      : { at: epochMs(Math.max(announcedAt, previous.at)), ...change, expected: true }
  return next.percent - previous.percent >= UNEXPECTED_RISE_MIN
    ? { at: next.at, ...change, expected: false }
    : null
}

function isSameReset(one: EpochMs, other: EpochMs | null): boolean {
  return other !== null && Math.abs(one - other) < RECORDED_RESET_DRIFT_MS
}

/** Intervals without knowledge of the window: before the first reading, and from a reading's reset until the next reading shows its effect. */
function unknownIntervals(
  readings: readonly CourseReading[],
  span: Interval,
  silentMsMax: number,
): readonly Interval[] {
  const [first] = readings
  if (first === undefined) return [span]
  const afterResets = readings.flatMap(({ at, resetAt }, index): readonly Interval[] => {
    if (resetAt === null) return []
    const from = epochMs(Math.max(at, resetAt))
    const to = readings[index + 1]?.at ?? span.to
    return to - from > silentMsMax ? [{ from, to }] : []
  })
  return [{ from: span.from, to: first.at }, ...afterResets]
}

/** The parts of these intervals inside the span; intervals that overlap or touch are joined. */
export function joinInside(intervals: readonly Interval[], span: Interval): readonly Interval[] {
  const inside = intervals
    .map(({ from, to }) => ({
      from: epochMs(Math.max(from, span.from)),
      to: epochMs(Math.min(to, span.to)),
    }))
    .filter(({ from, to }) => from < to)
    .sort((one, other) => one.from - other.from)
  const result: { readonly from: EpochMs; to: EpochMs }[] = []
  for (const interval of inside) {
    const last = result.at(-1)
    if (last === undefined || interval.from > last.to) result.push({ ...interval })
    else last.to = epochMs(Math.max(last.to, interval.to))
  }
  return result
}
