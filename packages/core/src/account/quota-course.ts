import type { ReadingOrigin } from '../facts/reading.ts'
import { type EpochMs, epochMs, type Interval, MINUTE_MS, plusMs } from '../facts/time.ts'
import { type MainWindowId, mainWindows } from '../facts/window.ts'
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

/** Reference time of a course, and the longest silence that still counts as watched. */
export interface CourseMoment {
  readonly now: EpochMs
  readonly silentMsMax: number
}

/** One recorded reading of a window. It differs from the previous one and holds until the next. */
export interface CourseReading {
  readonly at: EpochMs
  /** Percent remaining, 0..100. */
  readonly percent: number
  readonly resetAt: EpochMs | null
  /** Origin of the reading; null if it was not recorded. */
  readonly origin: ReadingOrigin | null
  /** Time the reading was taken, earlier than its recording; null if that time was not recorded. */
  readonly sampledAt: EpochMs | null
}

/** A reading as a point of a course. */
export interface CoursePoint extends CourseReading {
  /** True if the window's reset had passed when the reading was recorded: the window counts as full, but unconfirmed. */
  readonly rolledOver: boolean
}

/** A refill of a window. */
interface CourseReset {
  readonly at: EpochMs
  /** Percent remaining in the last reading before the refill and in the first one after it. */
  readonly before: number
  readonly after: number
  /** False if earlier readings did not announce a reset at this time. */
  readonly expected: boolean
}

/** Readings, resets, gaps and cycles of one window of one account over a span. */
export interface WindowCourse {
  readonly windowId: MainWindowId
  /** Oldest first. The first one may lie before the span, because it still held when the span began. */
  readonly points: readonly CoursePoint[]
  /** Number of readings from which the points were selected. */
  readonly readingCount: number
  /** Oldest first; the newest `COURSE_RESETS_MAX`. */
  readonly resets: readonly CourseReset[]
  /** Intervals in which the window's state is unknown, oldest first; they neither overlap nor touch. */
  readonly gaps: readonly Interval[]
  /** Cycles that ended within the span or are still running, oldest first. The first one may have begun before the span. */
  readonly cycles: readonly Cycle[]
}

/** Recorded data from which a course is built. */
interface WindowRecord {
  readonly windowId: MainWindowId
  /** Readings within the span and the newest one before it; oldest first. */
  readonly readings: readonly CourseReading[]
  readonly unwatched: readonly Interval[]
}

/** Largest number of points of one window. */
export const COURSE_POINTS_MAX = 500
/** Largest number of resets of one window: a 5h window has 144 in 30 days. */
export const COURSE_RESETS_MAX = 160
/** Number of newest gaps whose neighbouring readings are always kept as points. */
const GAPS_KEPT_MAX = 40
/** Smallest rise, in percentage points, that counts as an unannounced refill; a smaller one is a correction. */
export const UNEXPECTED_RISE_MIN = 20
/** Largest shift of a reset time between two recorded readings that still means the same reset. */
const RECORDED_RESET_DRIFT_MS = MINUTE_MS

/** The span that a range covers at `now`. */
export function courseSpanOf(range: CourseRangeId, now: EpochMs): Interval {
  return { from: plusMs(now, -courseRanges[range] * 1000), to: now }
}

/**
 * Longest silence of a watched pool, in milliseconds; after a longer one the pool counts as unwatched. `writeSeconds` is the setting
 * `history_write_seconds`.
 */
export function silentMsMaxOf(writeSeconds: number): number {
  return 2 * Math.max(SIGN_OF_LIFE_MS, writeSeconds * 1000)
}

/** Interval at which an unchanged pool is recorded. */
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

/** The courses of an account without records, each with a single gap. */
export function unrecordedCourses({ range }: CourseQuery, now: EpochMs): readonly WindowCourse[] {
  const span = courseSpanOf(range, now)
  return mainWindows.map(({ id: windowId }) =>
    windowCourseOf({ windowId, readings: [], unwatched: [] }, span, 0),
  )
}

/** Each reset, with the time at which the first reading after it was recorded. */
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

/** Intervals in which the window's state is unknown: before the first reading, and from each reset to the first reading that shows it. */
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

/** The parts of these intervals inside the span, with overlapping or touching ones joined. */
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

interface Reading {
  readonly at: EpochMs
  readonly percent: number
}

interface Selection {
  /** Times at which the last reading before and the first one at or after are kept. At most (`pointsMax` − 6) / 2 edges. */
  readonly edges: readonly EpochMs[]
  readonly pointsMax: number
}

/** Readings kept per slice: the first, last, lowest and highest. */
const KEPT_PER_SLICE = 4

/**
 * Selects at most `pointsMax` of these time-ordered readings: the first and the last, the two around each edge, and the first, last, lowest and
 * highest of each of several equal slices of time. A line through them differs from the full line by less than a slice. Values are never
 * interpolated.
 */
export function decimatedReadings<Kept extends Reading>(
  readings: readonly Kept[],
  { edges, pointsMax }: Selection,
): readonly Kept[] {
  const [first, last] = [readings[0], readings.at(-1)]
  if (readings.length <= pointsMax || first === undefined || last === undefined) return readings

  const kept = new Set([0, readings.length - 1])
  for (const edge of edges) {
    const after = firstAtOrAfter(readings, edge)
    if (after > 0) kept.add(after - 1)
    if (after < readings.length) kept.add(after)
  }
  const sliceCount = Math.max(1, Math.floor((pointsMax - kept.size) / KEPT_PER_SLICE))
  const sliceMs = (last.at - first.at + 1) / sliceCount
  for (let slice = 0, start = 0; slice < sliceCount; slice += 1) {
    const end =
      slice === sliceCount - 1
        ? readings.length
        : firstAtOrAfter(readings, first.at + (slice + 1) * sliceMs)
    for (const index of extremesBetween(readings, start, end)) kept.add(index)
    start = end
  }
  return readings.filter((_, index) => kept.has(index))
}

/** Indexes of the first, last, lowest and highest reading of a slice; empty for an empty slice. */
function extremesBetween(readings: readonly Reading[], start: number, end: number): number[] {
  if (start >= end) return []
  const percentAt = (index: number) => readings[index]?.percent ?? 0
  let [lowest, highest] = [start, start]
  for (let index = start; index < end; index += 1) {
    if (percentAt(index) < percentAt(lowest)) lowest = index
    if (percentAt(index) > percentAt(highest)) highest = index
  }
  return [start, end - 1, lowest, highest]
}

/** Index of the first reading at or after `at`; the number of readings if there is none. */
function firstAtOrAfter(readings: readonly Reading[], at: number): number {
  let [low, high] = [0, readings.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((readings[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
