import { epochMs, type Interval, mainWindows } from '@svc/core'
import {
  type HealthHistory,
  type HealthMoment,
  healthHistoryOf,
  healthSpanOf,
  QUARTER_MS,
  type QuarterShares,
} from '@svc/core/health'
import { UNKNOWN_SHARE_MAX, windowNameOf } from '@svc/core/pool'
import { sql } from 'drizzle-orm'
import { CHANGES_MAX } from '../pool/quota-rows.ts'
import type { Connection } from './connection.ts'
import { readUnwatched } from './course-reader.ts'
import { quotaReads } from './quota-store.ts'

/** Reads the pool's state in quarter-hours. Call inside a transaction. */
export async function readHealthHistory(
  db: Connection,
  { now, silentMsMax, provider }: HealthMoment,
): Promise<HealthHistory> {
  const span = healthSpanOf(now)
  const unwatched = await readUnwatched(db, span, silentMsMax)
  const windows: (readonly QuarterShares[])[] = []
  for (const { id: windowId } of mainWindows)
    windows.push(await readShares(db, windowNameOf({ provider, windowId }), span, silentMsMax))
  const changes = await quotaReads(db).changes(CHANGES_MAX)
  const oldest = changes.length < CHANGES_MAX ? null : (changes.at(-1)?.at ?? null)
  const changesSince = oldest !== null && oldest > span.from ? oldest : null
  return healthHistoryOf({ windows, unwatched, changes, changesSince }, span)
}

/** Computes shares in the database, because there may be a point per second. Also covers the point in effect at the start of the span. */
async function readShares(
  { tables: { capacityPoints }, rows }: Connection,
  name: string,
  { from, to }: Interval,
  silentMsMax: number,
): Promise<readonly QuarterShares[]> {
  const { atMs, windowId, knownUnits, trackedUnits, unknownUnits } = capacityPoints
  const share = sql`CASE WHEN ${unknownUnits} <= ${UNKNOWN_SHARE_MAX} * ${trackedUnits} THEN ${knownUnits} / nullif(${trackedUnits}, 0) END`
  const found = await rows<{ quarter: number; lowest: number | null; last: number | null }>(
    sql`SELECT quarter, lowest, ${share} AS "last" FROM (
         SELECT ${atMs} / CAST(${QUARTER_MS} AS bigint) AS quarter, min(${share}) AS lowest, max(${atMs}) AS last_at_ms
         FROM ${capacityPoints}
         WHERE ${windowId} = ${name} AND ${atMs} >= ${from - silentMsMax} AND ${atMs} <= ${to} GROUP BY 1) AS quarters
       JOIN ${capacityPoints} ON ${windowId} = ${name} AND ${atMs} = last_at_ms ORDER BY quarter`,
  )
  return found.map(({ quarter, lowest, last }) => ({
    at: epochMs(quarter * QUARTER_MS),
    lowest,
    last,
  }))
}
