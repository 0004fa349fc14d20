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
import type { Session } from './session.ts'

/** Numbers of an account in the dictionary: one for each monitor whose history is in this database. */
const ACCOUNT_IDS = 'SELECT id FROM svc_quota_monitor.accounts WHERE key = $1'

/** Reads one course for each main window; null if the store has no reading of the account. Call inside a transaction. */
export async function readCourse(
  session: Session,
  { accountKey, range }: CourseQuery,
  { now, silentMsMax }: CourseMoment,
): Promise<readonly WindowCourse[] | null> {
  const any = await session.rows(
    `SELECT 1 FROM svc_quota_monitor.quota_samples WHERE account_id IN (${ACCOUNT_IDS}) LIMIT 1`,
    [accountKey],
  )
  if (any.length === 0) return null
  const span = courseSpanOf(range, now)
  const unwatched = await readUnwatched(session, span, silentMsMax)
  const courses: WindowCourse[] = []
  for (const { id: windowId } of mainWindows) {
    const rows = await readReadings(session, { accountKey, windowId }, span)
    const record = { windowId, readings: rows.map(courseReadingOf), unwatched }
    courses.push(windowCourseOf(record, span, silentMsMax))
  }
  return courses
}

/** Readings of the span and the one in effect when it began. Uses the primary key: account, window, time. */
function readReadings(
  { rows }: Session,
  { accountKey, windowId }: { readonly accountKey: string; readonly windowId: string },
  { from, to }: Stretch,
): Promise<readonly CourseRow[]> {
  const ofWindow = `FROM svc_quota_monitor.quota_samples WHERE account_id IN (${ACCOUNT_IDS}) AND window_id = $2`
  return rows<CourseRow>(
    `SELECT at_ms AS "atMs", percent, reset_at_ms AS "resetAtMs", origin, sampled_at_ms AS "sampledAtMs" ${ofWindow}
       AND at_ms <= $4 AND at_ms >= coalesce((SELECT max(at_ms) ${ofWindow} AND at_ms <= $3), $3) ORDER BY at_ms`,
    [accountKey, windowId, from, to],
  )
}

/** Reads only the points that begin the span, end it or follow a silence. */
async function readUnwatched(
  { rows }: Session,
  span: Stretch,
  silentMsMax: number,
): Promise<readonly Stretch[]> {
  const ofWindow = 'FROM svc_quota_monitor.capacity_points WHERE window_id = $1'
  const found = await rows<{ before: number | null; at: number }>(
    `SELECT before, at FROM (
       SELECT lag(at_ms) OVER by_time AS before, at_ms AS at, lead(at_ms) OVER by_time AS after ${ofWindow}
         AND at_ms <= $3 AND at_ms >= coalesce((SELECT max(at_ms) ${ofWindow} AND at_ms <= $2), $2)
       WINDOW by_time AS (ORDER BY at_ms)) AS points
     WHERE before IS NULL OR after IS NULL OR at - before > $4 ORDER BY at`,
    [WATCHED_WINDOW, span.from, span.to, silentMsMax],
  )
  const [first] = found
  const last = found.at(-1)
  if (first === undefined || last === undefined) return unwatchedStretches(null, span, silentMsMax)
  const silences = found.flatMap(({ before, at }): readonly [number, number][] =>
    before !== null && at - before > silentMsMax ? [[before, at]] : [],
  )
  return unwatchedStretches({ first: first.at, last: last.at, silences }, span, silentMsMax)
}
