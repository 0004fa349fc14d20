import { mainWindows } from '@svc/core'
import {
  type CourseMoment,
  type CourseQuery,
  courseSpanOf,
  type Stretch,
  type WindowCourse,
  windowCourseOf,
} from '@svc/core/account'
import { CYCLES_RANGE, type PoolCycles, poolCyclesOf } from '@svc/core/pool'
import { type SQL, sql } from 'drizzle-orm'
import {
  type CourseRow,
  type CycleRow,
  courseReadingOf,
  readingsByAccount,
} from '../pool/quota-rows.ts'
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

/** Reads how full the windows of these accounts were; `weights`: Plus units of a full window, by account key. Call inside a transaction. */
export function* readPoolCycles(
  weights: ReadonlyMap<string, number>,
  { now, silentMsMax }: CourseMoment,
): Steps<PoolCycles> {
  const span = courseSpanOf(CYCLES_RANGE, now)
  const unwatched = yield* readUnwatched(span, silentMsMax)
  const found = weights.size === 0 ? [] : yield* readEdges([...weights.keys()], span)
  const accounts = readingsByAccount(found)
  return poolCyclesOf({ accounts, unwatched }, weights, span)
}

/**
 * Readings around each reset, for every window of these accounts. Steps by primary key from a reading to the last one before its reset, or to
 * the next one, so that a month of a window takes some hundred steps instead of thousands. Cycle ends and their sums stay exact; highest use,
 * refill times and most readings come from the selected readings only.
 */
function readEdges(
  accountKeys: readonly string[],
  { from, to }: Stretch,
): Steps<readonly CycleRow[]> {
  const windows = mainWindows.map(
    ({ id, seconds }) => sql`(${id}, CAST(${seconds * 1000} AS bigint))`,
  )
  const ofWindow = sql`FROM svc_quota_monitor.quota_samples AS s WHERE s.account_id = walk.account_id AND s.window_id = walk.window_id`
  const ofStep = (column: SQL) => sql`(SELECT ${column} ${ofWindow} AND s.at_ms = walk.at_ms)`
  // One bound: an engine seeks by one, and would read on to a second.
  const nextReset = ofStep(sql`CASE WHEN s.reset_at_ms IS NULL THEN s.at_ms
    WHEN s.reset_at_ms < s.at_ms + walk.length_ms THEN s.reset_at_ms ELSE s.at_ms + walk.length_ms END`)
  const first = sql`FROM svc_quota_monitor.quota_samples AS s WHERE s.account_id = a.id AND s.window_id = w.column1`
  return rows<CycleRow>(
    sql`WITH RECURSIVE walk (account_id, window_id, length_ms, at_ms) AS (
       SELECT a.id, w.column1, w.column2, coalesce(
         (SELECT max(s.at_ms) ${first} AND s.at_ms <= ${from}), (SELECT min(s.at_ms) ${first} AND s.at_ms > ${from}))
       FROM svc_quota_monitor.accounts AS a CROSS JOIN (VALUES ${sql.join(windows, sql`, `)}) AS w
       WHERE a.key IN ${accountKeys}
       UNION ALL
       SELECT walk.account_id, walk.window_id, walk.length_ms, coalesce(
         (SELECT max(s.at_ms) ${ofWindow} AND s.at_ms > walk.at_ms AND s.at_ms < ${nextReset}),
         (SELECT min(s.at_ms) ${ofWindow} AND s.at_ms > walk.at_ms))
       FROM walk WHERE walk.at_ms <= ${to})
     SELECT a.key AS "accountKey", s.window_id AS "windowId", s.at_ms AS "atMs", s.percent, s.reset_at_ms AS "resetAtMs", s.sampled_at_ms AS "sampledAtMs"
     FROM walk CROSS JOIN svc_quota_monitor.quota_samples AS s CROSS JOIN svc_quota_monitor.accounts AS a
     WHERE s.account_id = walk.account_id AND s.window_id = walk.window_id AND s.at_ms = walk.at_ms AND s.at_ms <= ${to} AND a.id = walk.account_id
     ORDER BY 1, 2, 3`,
  )
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
