import { mainWindows } from '@svc/core'
import {
  type CourseMoment,
  type CourseQuery,
  courseSpanOf,
  type Stretch,
  windowCourseOf,
} from '@svc/core/account'
import type { Database } from '@svc/sqlite'
import type { StoredCourses } from '../contract/stored-usage.ts'
import { type CourseRow, courseReadingOf } from '../pool/quota-rows.ts'
import { unwatchedStretches, WATCHED_WINDOW } from '../pool/unwatched.ts'
import type { AtOnce } from './promised.ts'

/** First schema in which readings have an origin. */
const ORIGIN_SINCE_VERSION = 2

/** Numbers of an account in the dictionary: one for each proxy it was seen at. */
const ACCOUNT_IDS = 'SELECT id FROM accounts WHERE key = :accountKey'

export function createCourseReader(db: Database): AtOnce<StoredCourses> {
  const anyReading = db
    .prepare(`SELECT 1 FROM quota_samples WHERE account_id IN (${ACCOUNT_IDS}) LIMIT 1`)
    .pluck()
  // Found by the primary key: account, window, time. The last two columns are missing in a store with an older schema.
  const readingsIn = (version: number) =>
    db.prepare(
      `SELECT at_ms AS atMs, percent, reset_at_ms AS resetAtMs, ${version < ORIGIN_SINCE_VERSION ? 'NULL AS origin, NULL AS sampledAtMs' : 'origin, sampled_at_ms AS sampledAtMs'}
       FROM quota_samples
       WHERE account_id IN (${ACCOUNT_IDS}) AND window_id = :windowId AND at_ms <= :to AND at_ms >= coalesce((
         SELECT max(at_ms) FROM quota_samples
         WHERE account_id IN (${ACCOUNT_IDS}) AND window_id = :windowId AND at_ms <= :from), :from)
       ORDER BY at_ms`,
    )
  const unwatchedIn = createUnwatchedStretches(db)

  const course = ({ accountKey, range }: CourseQuery, { now, silentMsMax }: CourseMoment) => {
    if (anyReading.get({ accountKey }) === undefined) return null
    const span = courseSpanOf(range, now)
    const readings = readingsIn(Number(db.pragma('user_version', { simple: true })))
    const unwatched = unwatchedIn(span, silentMsMax)
    return mainWindows.map(({ id: windowId }) => {
      const rows = readings.all({ accountKey, windowId, ...span }) as readonly CourseRow[]
      return windowCourseOf(
        { windowId, readings: rows.map(courseReadingOf), unwatched },
        span,
        silentMsMax,
      )
    })
  }
  return { course }
}

function createUnwatchedStretches(
  db: Database,
): (span: Stretch, silentMsMax: number) => readonly Stretch[] {
  const before = db
    .prepare('SELECT max(at_ms) FROM capacity_points WHERE window_id = ? AND at_ms <= ?')
    .pluck()
  // Steps from point to point by the longest silence: a month has one step per half hour instead of a point per minute.
  const silences = db
    .prepare(
      `WITH RECURSIVE walk (from_ms, at_ms) AS (
         SELECT :start, :start
         UNION ALL
         SELECT walk.at_ms, coalesce(
           nullif((SELECT max(at_ms) FROM capacity_points WHERE window_id = :windowId AND at_ms <= walk.at_ms + :silentMsMax), walk.at_ms),
           (SELECT min(at_ms) FROM capacity_points WHERE window_id = :windowId AND at_ms > walk.at_ms))
         FROM walk WHERE walk.at_ms < :to)
       SELECT from_ms, at_ms FROM walk WHERE at_ms - from_ms > :silentMsMax`,
    )
    .raw()
  const first = db
    .prepare('SELECT min(at_ms) FROM capacity_points WHERE window_id = ? AND at_ms > ?')
    .pluck()
  return (span, silentMsMax) => {
    const { from, to } = span
    const last = before.get(WATCHED_WINDOW, to) as number | null
    if (last === null) return unwatchedStretches(null, span, silentMsMax)
    const stoodAt = before.get(WATCHED_WINDOW, from) as number | null
    const start = stoodAt ?? (first.get(WATCHED_WINDOW, from) as number)
    const between = silences.all({ windowId: WATCHED_WINDOW, start, to, silentMsMax }) as [
      number,
      number,
    ][]
    return unwatchedStretches({ first: start, last, silences: between }, span, silentMsMax)
  }
}
