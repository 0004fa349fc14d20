import { type EpochMs, epochMs } from '@svc/core'
import type { Stretch } from '@svc/core/account'
import type { UsageGap } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { missedMs } from '../usage/missed-time.ts'
import { insert, rows, type Steps } from './steps.ts'

/** Gaps that end after an instant, by their start; they may overlap. */
export function* gapsSince(since: EpochMs): Steps<readonly Stretch[]> {
  const found = yield* rows<{ from_ms: number; to_ms: number }>(
    sql`SELECT from_ms, to_ms FROM svc_quota_monitor.gaps WHERE to_ms > ${since} ORDER BY from_ms`,
  )
  return found.map(({ from_ms, to_ms }) => ({ from: epochMs(from_ms), to: epochMs(to_ms) }))
}

/** Milliseconds between two instants that are in gaps. */
export function* missedTime(since: EpochMs, now: EpochMs): Steps<number> {
  return missedMs(yield* gapsSince(since), since, now)
}

/** Stores a gap of a proxy once. */
export function* recordGap(upstreamId: number, { from, to, reason }: UsageGap): Steps<void> {
  const columns = ['upstream_id', 'from_ms', 'to_ms', 'reason']
  yield* insert('gaps', columns, [[upstreamId, from, to, reason]])
}
