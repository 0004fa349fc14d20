import { DAY_MS, type EpochMs, epochMs, type Interval } from '@svc/core'
import type { UsageGap } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
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

const COVERAGE_DAYS = 30

/** Start of usage, from the oldest row and the oldest daily sum. A day that has only its sum counts from its beginning. */
export function earliestOf(oldestRowMs: number | null, oldestDayS: number | null): EpochMs | null {
  const dayMs = oldestDayS === null ? null : oldestDayS * 1000
  if (oldestRowMs === null) return dayMs === null ? null : epochMs(dayMs)
  return epochMs(dayMs !== null && dayMs + DAY_MS <= oldestRowMs ? dayMs : oldestRowMs)
}

/** Start of watched usage: the first poll, or earlier if the proxy still had older records then. */
export function watchedSince(
  earliest: EpochMs | null,
  firstPollAt: EpochMs | null,
): EpochMs | null {
  const known = [earliest, firstPollAt].filter((at) => at !== null)
  return known.length === 0 ? null : epochMs(Math.min(...known))
}

/** Start of the period whose observed share is shown: thirty days at most. */
export function observedSince(firstPollAt: EpochMs | null, now: EpochMs): EpochMs {
  return firstPollAt === null ? now : epochMs(Math.max(firstPollAt, now - COVERAGE_DAYS * DAY_MS))
}

/** Milliseconds between two instants that fall into gaps. The gaps are ordered by start and may overlap. */
export function missedMs(gaps: readonly Interval[], since: EpochMs, now: EpochMs): number {
  let missed = 0
  let reached: number = since
  for (const { from, to } of gaps) {
    const start = Math.max(from, reached)
    const end = Math.min(to, now)
    if (end > start) missed += end - start
    reached = Math.max(reached, end)
  }
  return missed
}
