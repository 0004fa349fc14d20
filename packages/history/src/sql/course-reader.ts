import { mainWindows } from '@svc/core'
import {
  type CourseMoment,
  type CourseQuery,
  courseSpanOf,
  type Stretch,
  type WindowCourse,
  windowCourseOf,
} from '@svc/core/account'
import { type SQL, sql } from 'drizzle-orm'
import { type CourseRow, courseReadingOf } from '../pool/quota-rows.ts'
import { unwatchedStretches, WATCHED_WINDOW } from '../pool/unwatched.ts'
import { rows, type Steps } from './steps.ts'

/** Reads one course for each main window; null if the store has no reading of the account. Call inside a transaction. */
export function* readCourse(
  { accountKey, range }: CourseQuery,
  { now, silentMsMax }: CourseMoment,
): Steps<readonly WindowCourse[] | null> {
  const ofAccount = samplesOf(accountKey)
  const any = yield* rows(sql`SELECT 1 ${ofAccount} LIMIT 1`)
  if (any.length === 0) return null
  const span = courseSpanOf(range, now)
  const unwatched = yield* readUnwatched(span, silentMsMax)
  const courses: WindowCourse[] = []
  for (const { id: windowId } of mainWindows) {
    const found = yield* readReadings(sql`${ofAccount} AND window_id = ${windowId}`, span)
    const record = { windowId, readings: found.map(courseReadingOf), unwatched }
    courses.push(windowCourseOf(record, span, silentMsMax))
  }
  return courses
}

/** An account has a number for each monitor whose history is in this store. */
function samplesOf(accountKey: string): SQL {
  return sql`FROM svc_quota_monitor.quota_samples
    WHERE account_id IN (SELECT id FROM svc_quota_monitor.accounts WHERE key = ${accountKey})`
}

/** Readings of the span and the one in effect when it began. Uses the primary key: account, window, time. */
function readReadings(ofWindow: SQL, { from, to }: Stretch): Steps<readonly CourseRow[]> {
  return rows<CourseRow>(
    sql`SELECT at_ms AS "atMs", percent, reset_at_ms AS "resetAtMs", origin, sampled_at_ms AS "sampledAtMs" ${ofWindow}
      AND at_ms <= ${to} AND at_ms >= coalesce((SELECT max(at_ms) ${ofWindow} AND at_ms <= ${from}), ${from}) ORDER BY at_ms`,
  )
}

/**
 * Steps from point to point by the longest silence: a month has one step per half hour instead of a point per minute. A silence is a step that was
 * longer.
 */
export function* readUnwatched(span: Stretch, silentMsMax: number): Steps<readonly Stretch[]> {
  const ofWindow = sql`FROM svc_quota_monitor.capacity_points WHERE window_id = ${WATCHED_WINDOW}`
  const [ends] = yield* rows<{ first: number; last: number | null }>(
    sql`SELECT (SELECT max(at_ms) ${ofWindow} AND at_ms <= ${span.to}) AS "last", coalesce(
      (SELECT max(at_ms) ${ofWindow} AND at_ms <= ${span.from}), (SELECT min(at_ms) ${ofWindow} AND at_ms > ${span.from})) AS "first"`,
  )
  if (ends === undefined || ends.last === null) return unwatchedStretches(null, span, silentMsMax)
  const { first, last } = ends
  const silences = yield* rows<{ from_ms: number; at_ms: number }>(
    sql`WITH RECURSIVE walk (from_ms, at_ms) AS (
       SELECT CAST(${first} AS bigint), CAST(${first} AS bigint)
       UNION ALL
       SELECT walk.at_ms, coalesce(
         nullif((SELECT max(at_ms) ${ofWindow} AND at_ms <= walk.at_ms + ${silentMsMax}), walk.at_ms),
         (SELECT min(at_ms) ${ofWindow} AND at_ms > walk.at_ms))
       FROM walk WHERE walk.at_ms < ${span.to})
     SELECT from_ms, at_ms FROM walk WHERE at_ms - from_ms > ${silentMsMax}`,
  )
  return unwatchedStretches(
    { first, last, silences: silences.map(({ from_ms, at_ms }) => [from_ms, at_ms]) },
    span,
    silentMsMax,
  )
}
