import { type EpochMs, epochMs, type Interval, mainWindows } from '@svc/core'
import {
  type CourseMoment,
  type CourseQuery,
  courseSpanOf,
  type WindowCourse,
  windowCourseOf,
} from '@svc/core/account'
import { type PoolCycles, poolCyclesOf } from '@svc/core/pool'
import { aliasedTable, type SQL, sql } from 'drizzle-orm'
import { type CycleRow, courseReadingOf, readingsByAccount } from '../pool/quota-rows.ts'
import { type Connection, named, select } from './connection.ts'

/**
 * The window whose points show when the pool was watched, because some are stored regularly in any case. One window is enough, because all are
 * recorded together.
 */
const WATCHED_WINDOW = mainWindows[0].id

/** Reads one course for each main window; null if the store has no reading of the account. Call inside a transaction. */
export async function readCourse(
  db: Connection,
  { accountKey, range }: CourseQuery,
  { now, silentMsMax }: CourseMoment,
): Promise<readonly WindowCourse[] | null> {
  const { accounts, quotaSamples } = db.tables
  // An account has a number for each monitor whose history is in this store.
  const ofAccount = sql`${quotaSamples.accountId} IN (SELECT ${accounts.id} FROM ${accounts} WHERE ${accounts.key} = ${accountKey})`
  const any = await select(db, quotaSamples, ['atMs'], sql`WHERE ${ofAccount} LIMIT 1`)
  if (any.length === 0) return null
  const span = courseSpanOf(range, now)
  const unwatched = await readUnwatched(db, span, silentMsMax)
  const courses: WindowCourse[] = []
  for (const { id: windowId } of mainWindows) {
    const ofWindow = sql`${ofAccount} AND ${quotaSamples.windowId} = ${windowId}`
    const found = await readReadings(db, ofWindow, span)
    const record = { windowId, readings: found.map(courseReadingOf), unwatched }
    courses.push(windowCourseOf(record, span, silentMsMax))
  }
  return courses
}

/** Reads the time of the first reading of each account, by its key. */
export async function readFirstRead({
  tables: { accounts, quotaSamples: s },
  rows,
}: Connection): Promise<ReadonlyMap<string, EpochMs>> {
  // One step by primary key for each account and window.
  const first = mainWindows.map(
    ({ id }) =>
      sql`SELECT ${accounts.key} AS "key", (SELECT min(${s.atMs}) FROM ${s} WHERE ${s.accountId} = ${accounts.id} AND ${s.windowId} = ${id}) AS at FROM ${accounts}`,
  )
  const found = await rows<{ readonly key: string; readonly at: number }>(
    sql`SELECT key, min(at) AS at FROM (${sql.join(first, sql` UNION ALL `)}) AS firsts WHERE at IS NOT NULL GROUP BY key`,
  )
  return new Map(found.map(({ key, at }) => [key, epochMs(at)]))
}

/** Reads the past use of these accounts' windows; `weights`: Plus units of a full window, by account key. Call inside a transaction. */
export async function readPoolCycles(
  db: Connection,
  weights: ReadonlyMap<string, number>,
  span: Interval,
  silentMsMax: number,
): Promise<PoolCycles> {
  const unwatched = await readUnwatched(db, span, silentMsMax)
  const found = weights.size === 0 ? [] : await readEdges(db, [...weights.keys()], span)
  const accounts = readingsByAccount(found)
  return poolCyclesOf({ accounts, unwatched }, weights, span)
}

/**
 * Reads the readings around each reset, for every window of these accounts. Steps by primary key from a reading to the last one before its reset, or
 * to the next one, so that a month of a window takes some hundred steps instead of thousands. Cycle ends and their sums stay exact; highest use,
 * refill times and most readings come from the selected readings only.
 */
function readEdges(
  { tables, rows }: Connection,
  accountKeys: readonly string[],
  { from, to }: Interval,
): Promise<readonly CycleRow[]> {
  const windows = mainWindows.map(
    ({ id, seconds }) => sql`(${id}, CAST(${seconds * 1000} AS bigint))`,
  )
  const a = aliasedTable(tables.accounts, 'a')
  const s = aliasedTable(tables.quotaSamples, 's')
  const samples = sql`${tables.quotaSamples} AS s`
  const ofWindow = sql`FROM ${samples} WHERE ${s.accountId} = walk.account_id AND ${s.windowId} = walk.window_id`
  // One bound: an engine seeks by one, and would read on to a second.
  const nextReset = sql`(SELECT CASE WHEN ${s.resetAtMs} IS NULL THEN ${s.atMs}
    WHEN ${s.resetAtMs} < ${s.atMs} + walk.length_ms THEN ${s.resetAtMs} ELSE ${s.atMs} + walk.length_ms END ${ofWindow} AND ${s.atMs} = walk.at_ms)`
  const first = sql`FROM ${samples} WHERE ${s.accountId} = ${a.id} AND ${s.windowId} = w.column1`
  return rows<CycleRow>(
    sql`WITH RECURSIVE walk (account_id, window_id, length_ms, at_ms) AS (
       SELECT ${a.id}, w.column1, w.column2, coalesce(
         (SELECT max(${s.atMs}) ${first} AND ${s.atMs} <= ${from}), (SELECT min(${s.atMs}) ${first} AND ${s.atMs} > ${from}))
       FROM ${tables.accounts} AS a CROSS JOIN (VALUES ${sql.join(windows, sql`, `)}) AS w
       WHERE ${a.key} IN ${accountKeys}
       UNION ALL
       SELECT walk.account_id, walk.window_id, walk.length_ms, coalesce(
         (SELECT max(${s.atMs}) ${ofWindow} AND ${s.atMs} > walk.at_ms AND ${s.atMs} < ${nextReset}),
         (SELECT min(${s.atMs}) ${ofWindow} AND ${s.atMs} > walk.at_ms))
       FROM walk WHERE walk.at_ms <= ${to})
     SELECT ${named(a.key, 'accountKey')}, ${named(s.windowId, 'windowId')}, ${named(s.atMs, 'atMs')}, ${named(s.percent, 'percent')},
       ${named(s.resetAtMs, 'resetAtMs')}, ${named(s.sampledAtMs, 'sampledAtMs')}
     FROM walk CROSS JOIN ${samples} CROSS JOIN ${tables.accounts} AS a
     WHERE ${s.accountId} = walk.account_id AND ${s.windowId} = walk.window_id AND ${s.atMs} = walk.at_ms AND ${s.atMs} <= ${to} AND ${a.id} = walk.account_id
     ORDER BY 1, 2, 3`,
  )
}

/** Reads the readings in a span and the one in effect at its start. Uses the primary key: account, window, time. */
function readReadings(db: Connection, ofWindow: SQL, { from, to }: Interval) {
  const { quotaSamples } = db.tables
  const { atMs } = quotaSamples
  const before = sql`SELECT max(${atMs}) FROM ${quotaSamples} WHERE ${ofWindow} AND ${atMs} <= ${from}`
  return select(
    db,
    quotaSamples,
    ['atMs', 'percent', 'resetAtMs', 'origin', 'sampledAtMs'],
    sql`WHERE ${ofWindow} AND ${atMs} <= ${to} AND ${atMs} >= coalesce((${before}), ${from}) ORDER BY ${atMs}`,
  )
}

/**
 * Finds unwatched periods by stepping through the points, each time as far as the longest allowed silence reaches, so that a month takes one step per
 * half hour instead of one per point. A step that must go farther is a silence.
 */
export async function readUnwatched(
  { tables: { capacityPoints }, rows }: Connection,
  span: Interval,
  silentMsMax: number,
): Promise<readonly Interval[]> {
  const { atMs, windowId } = capacityPoints
  const ofWindow = sql`FROM ${capacityPoints} WHERE ${windowId} = ${WATCHED_WINDOW}`
  const [ends] = await rows<{ first: number; last: number | null }>(
    sql`SELECT (SELECT max(${atMs}) ${ofWindow} AND ${atMs} <= ${span.to}) AS "last", coalesce(
      (SELECT max(${atMs}) ${ofWindow} AND ${atMs} <= ${span.from}), (SELECT min(${atMs}) ${ofWindow} AND ${atMs} > ${span.from})) AS "first"`,
  )
  if (ends === undefined || ends.last === null) return [span]
  const { first, last } = ends
  const silences = await rows<{ from_ms: number; at_ms: number }>(
    sql`WITH RECURSIVE walk (from_ms, at_ms) AS (
       SELECT CAST(${first} AS bigint), CAST(${first} AS bigint)
       UNION ALL
       SELECT walk.at_ms, coalesce(
         nullif((SELECT max(${atMs}) ${ofWindow} AND ${atMs} <= walk.at_ms + ${silentMsMax}), walk.at_ms),
         (SELECT min(${atMs}) ${ofWindow} AND ${atMs} > walk.at_ms))
       FROM walk WHERE walk.at_ms < ${span.to})
     SELECT from_ms, at_ms FROM walk WHERE at_ms - from_ms > ${silentMsMax}`,
  )
  return [
    ...silences.map(({ from_ms, at_ms }) => [from_ms, at_ms] as const),
    ...(first > span.from ? [[span.from, first] as const] : []),
    ...(span.to - last > silentMsMax ? [[last, span.to] as const] : []),
  ].map(([from, to]) => ({ from: epochMs(from), to: epochMs(to) }))
}
