import { epochMs, mainWindows } from '@svc/core'
import {
  type CourseMoment,
  type CourseQuery,
  type CourseReading,
  courseSpanOf,
  type Stretch,
  type WindowCourse,
  windowCourseOf,
} from '@svc/core/service'
import { atOneMoment, type Database } from './sqlite.ts'

/** Answers from a store how the quota of one account went. */
export interface StoredCourses {
  /** One course for each main window; null where the store has no reading of the account at all. */
  course(query: CourseQuery, moment: CourseMoment): readonly WindowCourse[] | null
}

/** The numbers that an account has in the dictionary: one for each proxy it was seen at. */
const ACCOUNT_IDS = 'SELECT id FROM accounts WHERE key = :accountKey'

export function createCourseReader(db: Database): StoredCourses {
  const anyReading = db
    .prepare(`SELECT 1 FROM quota_samples WHERE account_id IN (${ACCOUNT_IDS}) LIMIT 1`)
    .pluck()
  // The primary key leads to these rows: account, window, time.
  const readings = db
    .prepare(
      `SELECT at_ms, percent, reset_at_ms FROM quota_samples
       WHERE account_id IN (${ACCOUNT_IDS}) AND window_id = :windowId AND at_ms <= :to AND at_ms >= coalesce((
         SELECT max(at_ms) FROM quota_samples
         WHERE account_id IN (${ACCOUNT_IDS}) AND window_id = :windowId AND at_ms <= :from), :from)
       ORDER BY at_ms`,
    )
    .raw()
  const unwatchedStretches = createUnwatchedStretches(db)

  const courses = ({ accountKey, range }: CourseQuery, { now, silentMsMax }: CourseMoment) => {
    if (anyReading.get({ accountKey }) === undefined) return null
    const span = courseSpanOf(range, now)
    const unwatched = unwatchedStretches(span, silentMsMax)
    return mainWindows.map(({ id: windowId }) => {
      const rows = readings.all({ accountKey, windowId, ...span }) as readonly ReadingRow[]
      return windowCourseOf(
        { windowId, readings: rows.map(readingOf), unwatched },
        span,
        silentMsMax,
      )
    })
  }
  return { course: (query, moment) => atOneMoment(db, () => courses(query, moment)) }
}

type ReadingRow = readonly [atMs: number, percent: number, resetAtMs: number | null]

function readingOf([atMs, percent, resetAtMs]: ReadingRow): CourseReading {
  return {
    at: epochMs(atMs),
    percent,
    resetAt: resetAtMs === null ? null : epochMs(resetAtMs),
    origin: null,
    sampledAt: null,
  }
}

/** A pool that is watched leaves a point of its capacity now and then, whatever happens. One window stands for all: they are recorded together. */
const [{ id: WATCHED_WINDOW }] = mainWindows

function createUnwatchedStretches(
  db: Database,
): (span: Stretch, silentMsMax: number) => readonly Stretch[] {
  const before = db
    .prepare('SELECT max(at_ms) FROM capacity_points WHERE window_id = ? AND at_ms <= ?')
    .pluck()
  const silences = db
    .prepare(
      `SELECT from_ms, at_ms FROM (
         SELECT at_ms, lag(at_ms) OVER (ORDER BY at_ms) AS from_ms FROM capacity_points
         WHERE window_id = ? AND at_ms >= ? AND at_ms <= ?)
       WHERE at_ms - from_ms > ?`,
    )
    .raw()
  const first = db
    .prepare('SELECT min(at_ms) FROM capacity_points WHERE window_id = ? AND at_ms > ?')
    .pluck()
  return ({ from, to }, silentMsMax) => {
    const last = before.get(WATCHED_WINDOW, to) as number | null
    if (last === null) return [{ from, to }]
    const stoodAt = before.get(WATCHED_WINDOW, from) as number | null
    const start = stoodAt ?? (first.get(WATCHED_WINDOW, from) as number)
    const between = silences.all(WATCHED_WINDOW, start, to, silentMsMax) as [number, number][]
    const atEdges: [number, number][] = [
      ...(stoodAt === null ? [[from, start] as [number, number]] : []),
      ...(to - last > silentMsMax ? [[last, to] as [number, number]] : []),
    ]
    return [...between, ...atEdges].map(([start, end]) => ({
      from: epochMs(start),
      to: epochMs(end),
    }))
  }
}
