import { mainWindows } from '@svc/core'
import {
  type CourseMoment,
  type CourseQuery,
  courseSpanOf,
  type Stretch,
  type WindowCourse,
  windowCourseOf,
} from '@svc/core/account'
import { type CourseRow, courseReadingOf } from '../pool/quota-rows.ts'
import { unwatchedStretches, WATCHED_WINDOW } from '../pool/unwatched.ts'
import { rows, type Steps } from './steps.ts'

/** Numbers of an account in the dictionary: one for each monitor whose history is in this store. */
const ACCOUNT_IDS = 'SELECT id FROM svc_quota_monitor.accounts WHERE key = $1'

/** Reads one course for each main window; null if the store has no reading of the account. Call inside a transaction. */
export function* readCourse(
  { accountKey, range }: CourseQuery,
  { now, silentMsMax }: CourseMoment,
): Steps<readonly WindowCourse[] | null> {
  const any = yield* rows(
    `SELECT 1 FROM svc_quota_monitor.quota_samples WHERE account_id IN (${ACCOUNT_IDS}) LIMIT 1`,
    [accountKey],
  )
  if (any.length === 0) return null
  const span = courseSpanOf(range, now)
  const unwatched = yield* readUnwatched(span, silentMsMax)
  const courses: WindowCourse[] = []
  for (const { id: windowId } of mainWindows) {
    const found = yield* readReadings(accountKey, windowId, span)
    const record = { windowId, readings: found.map(courseReadingOf), unwatched }
    courses.push(windowCourseOf(record, span, silentMsMax))
  }
  return courses
}

/** Readings of the span and the one in effect when it began. Uses the primary key: account, window, time. */
function readReadings(
  accountKey: string,
  windowId: string,
  { from, to }: Stretch,
): Steps<readonly CourseRow[]> {
  const ofWindow = `FROM svc_quota_monitor.quota_samples WHERE account_id IN (${ACCOUNT_IDS}) AND window_id = $2`
  return rows<CourseRow>(
    `SELECT at_ms AS "atMs", percent, reset_at_ms AS "resetAtMs", origin, sampled_at_ms AS "sampledAtMs" ${ofWindow}
       AND at_ms <= $4 AND at_ms >= coalesce((SELECT max(at_ms) ${ofWindow} AND at_ms <= $3), $3) ORDER BY at_ms`,
    [accountKey, windowId, from, to],
  )
}

/**
 * Steps from point to point by the longest silence: a month has one step per half hour instead of a point per minute. A silence is a step that was
 * longer.
 */
function* readUnwatched(span: Stretch, silentMsMax: number): Steps<readonly Stretch[]> {
  const ofWindow = 'FROM svc_quota_monitor.capacity_points WHERE window_id = $1'
  const [ends] = yield* rows<{ first: number; last: number | null }>(
    `SELECT (SELECT max(at_ms) ${ofWindow} AND at_ms <= $3) AS "last", coalesce(
       (SELECT max(at_ms) ${ofWindow} AND at_ms <= $2), (SELECT min(at_ms) ${ofWindow} AND at_ms > $2)) AS "first"`,
    [WATCHED_WINDOW, span.from, span.to],
  )
  if (ends === undefined || ends.last === null) return unwatchedStretches(null, span, silentMsMax)
  const { first, last } = ends
  const silences = yield* rows<{ from_ms: number; at_ms: number }>(
    `WITH RECURSIVE walk (from_ms, at_ms) AS (
       SELECT CAST($2 AS bigint), CAST($2 AS bigint)
       UNION ALL
       SELECT walk.at_ms, coalesce(
         nullif((SELECT max(at_ms) ${ofWindow} AND at_ms <= walk.at_ms + $4), walk.at_ms),
         (SELECT min(at_ms) ${ofWindow} AND at_ms > walk.at_ms))
       FROM walk WHERE walk.at_ms < $3)
     SELECT from_ms, at_ms FROM walk WHERE at_ms - from_ms > $4`,
    [WATCHED_WINDOW, first, span.to, silentMsMax],
  )
  return unwatchedStretches(
    { first, last, silences: silences.map(({ from_ms, at_ms }) => [from_ms, at_ms]) },
    span,
    silentMsMax,
  )
}
