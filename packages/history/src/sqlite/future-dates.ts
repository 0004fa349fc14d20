import type { EpochMs } from '@svc/core'
import type { Database } from '@svc/sqlite'
import { cutAfterWrongClock } from '../usage/cut-after-wrong-clock.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import type { Meta } from './meta.ts'

/**
 * Removes a future cut left by a wrong clock, because every new row would be dropped as too old. Gaps and changes of that clock are ended. A gap that
 * begins later is deleted only if no row proves that its time has come: missing usage must not look complete.
 */
export function takeBackFuture(db: Database, meta: Meta, falseAfter: EpochMs): void {
  const newestDayS = db
    .prepare(
      'SELECT max(bucket_s) FROM rollups WHERE grouping = ? AND tier_seconds = ? AND bucket_s <= ?',
    )
    .pluck()
    .get(groupings.total, DAY_TIER_SECONDS, falseAfter / 1000) as number | null
  const cut = cutAfterWrongClock(newestDayS, falseAfter)
  if (cut === null) meta.clear('cut_ms')
  else meta.set('cut_ms', cut)
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
