import { epochMs, mainWindows } from '@svc/core'
import type { Stretch } from '@svc/core/account'
import {
  type HealthHistory,
  type HealthMoment,
  healthHistoryOf,
  healthSpanOf,
  QUARTER_MS,
  type QuarterShares,
} from '@svc/core/health'
import { UNKNOWN_SHARE_MAX, windowNameOf } from '@svc/core/pool'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { CHANGES_MAX } from '../pool/quota-rows.ts'
import { readUnwatched } from './course-reader.ts'
import { quotaReads } from './quota-store.ts'
import { rows, type Steps } from './steps.ts'

/** Reads the pool's state by quarters of an hour. Call inside a transaction. */
export function* readHealthHistory({
  now,
  silentMsMax,
  provider = ASSUMED_PROVIDER,
}: HealthMoment): Steps<HealthHistory> {
  const span = healthSpanOf(now)
  const unwatched = yield* readUnwatched(span, silentMsMax)
  const windows: (readonly QuarterShares[])[] = []
  for (const { id: windowId } of mainWindows)
    windows.push(yield* readShares(windowNameOf({ provider, windowId }), span, silentMsMax))
  const changes = yield* quotaReads.changes(CHANGES_MAX)
  const oldest = changes.length < CHANGES_MAX ? null : (changes.at(-1)?.at ?? null)
  const changesSince = oldest !== null && oldest > span.from ? oldest : null
  return healthHistoryOf({ windows, unwatched, changes, changesSince }, span)
}

/** Shares are computed from points in the database, which may hold one a second. The point in effect at the start of the span is read too. */
function* readShares(
  windowId: string,
  { from, to }: Stretch,
  silentMsMax: number,
): Steps<readonly QuarterShares[]> {
  const share = sql`CASE WHEN unknown_units <= ${UNKNOWN_SHARE_MAX} * tracked_units THEN known_units / nullif(tracked_units, 0) END`
  const found = yield* rows<{ quarter: number; lowest: number | null; last: number | null }>(
    sql`SELECT quarter, lowest, ${share} AS "last" FROM (
         SELECT at_ms / CAST(${QUARTER_MS} AS bigint) AS quarter, min(${share}) AS lowest, max(at_ms) AS last_at_ms
         FROM svc_quota_monitor.capacity_points
         WHERE window_id = ${windowId} AND at_ms >= ${from - silentMsMax} AND at_ms <= ${to} GROUP BY 1) AS quarters
       JOIN svc_quota_monitor.capacity_points ON window_id = ${windowId} AND at_ms = last_at_ms ORDER BY quarter`,
  )
  return found.map(({ quarter, lowest, last }) => ({
    at: epochMs(quarter * QUARTER_MS),
    lowest,
    last,
  }))
}
