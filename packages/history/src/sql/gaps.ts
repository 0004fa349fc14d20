import { type EpochMs, epochMs, type Interval } from '@svc/core'
import type { UsageGap } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { missedMs } from '../usage/extent.ts'
import { type Connection, insert, select } from './connection.ts'

/** Gaps that end after an instant, ordered by start; they may overlap. */
export async function gapsSince(db: Connection, since: EpochMs): Promise<readonly Interval[]> {
  const { gaps } = db.tables
  const rest = sql`WHERE ${gaps.toMs} > ${since} ORDER BY ${gaps.fromMs}`
  const found = await select(db, gaps, ['fromMs', 'toMs'], rest)
  return found.map(({ fromMs, toMs }) => ({ from: epochMs(fromMs), to: epochMs(toMs) }))
}

/** Milliseconds between two instants that fall into gaps. */
export async function missedTime(db: Connection, since: EpochMs, now: EpochMs): Promise<number> {
  return missedMs(await gapsSince(db, since), since, now)
}

/** Stores a gap of a proxy unless it is already stored. */
export async function recordGap(
  db: Connection,
  upstreamId: number,
  { from, to, reason }: UsageGap,
): Promise<void> {
  await insert(db, db.tables.gaps, [{ upstreamId, fromMs: from, toMs: to, reason }])
}
