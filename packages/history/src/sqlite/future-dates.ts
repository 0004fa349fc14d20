import type { EpochMs } from '@svc/core'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import type { Meta } from './meta.ts'
import type { Database } from './sqlite.ts'

const DAY_MS = 86_400_000
/** The proxy keeps unread records for at most this long, so what it hands out may be as old. See docs/upstream.md#usage-queue. */
const UNREAD_MS_MAX = 3_600_000

/**
 * Takes back a cut that lies in the future, which a wrong clock has left: every new row would be dropped as too old. Rows of a day that has been summed
 * may be gone, so they are not taken a second time; what the proxy may still hold is. Gaps and changes of that clock end then. A gap that begins later is
 * deleted only where no row bears witness that its time has come: what is missing must not seem to be complete.
 */
export function takeBackFuture(db: Database, meta: Meta, falseAfter: EpochMs): void {
  const newestDayS = db
    .prepare(
      'SELECT max(bucket_s) FROM rollups WHERE grouping = ? AND tier_seconds = ? AND bucket_s <= ?',
    )
    .pluck()
    .get(groupings.total, DAY_TIER_SECONDS, falseAfter / 1000) as number | null
  if (newestDayS === null) meta.clear('cut_ms')
  else meta.set('cut_ms', Math.min(falseAfter - UNREAD_MS_MAX, newestDayS * 1000 + DAY_MS))
  db.prepare(
    'DELETE FROM gaps WHERE from_ms > max(?, (SELECT coalesce(max(at_ms), 0) FROM usage))',
  ).run(falseAfter)
  db.prepare('UPDATE OR REPLACE gaps SET to_ms = ? WHERE to_ms > ? AND from_ms <= ?').run(
    falseAfter,
    falseAfter,
    falseAfter,
  )
  db.prepare('UPDATE recent_changes SET at_ms = ? WHERE at_ms > ?').run(falseAfter, falseAfter)
}
