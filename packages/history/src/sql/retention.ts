import type { EpochMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { cutAfterWrongClock } from '../usage/cut-after-wrong-clock.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { metaSteps } from './meta.ts'
import { type Held, run, type Steps, value } from './steps.ts'

/** Deletes gaps and points from before `before`, and up to `rowsMax` readings, while the lease of the pool is held; false if none are left. */
export function* pruneCourse(before: EpochMs, rowsMax: number, held: Held): Steps<boolean> {
  const [heldAt2, heldAt3] = [held(POOL_LEASE, 2), held(POOL_LEASE, 3)]
  yield* run(`DELETE FROM svc_quota_monitor.gaps WHERE to_ms < $1 AND ${heldAt2.sql}`, [
    before,
    ...heldAt2.values,
  ])
  const samples = yield* run(
    `DELETE FROM svc_quota_monitor.quota_samples WHERE (account_id, window_id, at_ms) IN (
       SELECT account_id, window_id, at_ms FROM svc_quota_monitor.quota_samples WHERE at_ms < $1 LIMIT $2) AND ${heldAt3.sql}`,
    [before, rowsMax, ...heldAt3.values],
  )
  const points = yield* run(
    `DELETE FROM svc_quota_monitor.capacity_points WHERE at_ms < $1 AND ${heldAt2.sql}`,
    [before, ...heldAt2.values],
  )
  return samples + points > 0
}

/**
 * Removes a future cut left by a wrong clock, because every new row would be dropped as too old. Gaps and changes of that clock are ended. A gap that
 * begins later is deleted only if no row proves that its time has come: missing usage must not look complete. Call inside a transaction that may move
 * the cut.
 */
export function* takeBackFuture(falseAfter: EpochMs): Steps<void> {
  const newestDayS = yield* value(
    `SELECT max(bucket_s) AS value FROM svc_quota_monitor.rollup_${DAY_TIER_SECONDS} WHERE grouping = $1 AND bucket_s <= $2`,
    [groupings.total, Math.floor(falseAfter / 1000)],
  )
  const cut = cutAfterWrongClock(newestDayS, falseAfter)
  yield* cut === null ? metaSteps.clear('cut_ms') : metaSteps.set({ cut_ms: cut })
  yield* run(
    `DELETE FROM svc_quota_monitor.gaps WHERE from_ms > $1
       AND from_ms > (SELECT coalesce(max(at_ms), 0) FROM svc_quota_monitor.usage)`,
    [falseAfter],
  )
  const beyond = 'to_ms > $1 AND from_ms <= $1'
  yield* run(
    `INSERT INTO svc_quota_monitor.gaps (upstream_id, from_ms, to_ms, reason)
     SELECT upstream_id, from_ms, CAST($1 AS bigint), reason FROM svc_quota_monitor.gaps WHERE ${beyond} ON CONFLICT DO NOTHING`,
    [falseAfter],
  )
  yield* run(`DELETE FROM svc_quota_monitor.gaps WHERE ${beyond}`, [falseAfter])
  yield* run('UPDATE svc_quota_monitor.recent_changes SET at_ms = $1 WHERE at_ms > $1', [
    falseAfter,
  ])
}
