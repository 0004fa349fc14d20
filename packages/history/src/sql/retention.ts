import type { EpochMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { cutAfterWrongClock } from '../usage/cut-after-wrong-clock.ts'
import { groupings } from '../usage/tiers.ts'
import { metaSteps } from './meta.ts'
import { type Held, run, type Steps, value } from './steps.ts'
import { DAY_SUMS } from './store-facts.ts'

/** Deletes gaps and points from before `before`, and up to `rowsMax` readings, while the lease of the pool is held; false if none are left. */
export function* pruneCourse(before: EpochMs, rowsMax: number, held: Held): Steps<boolean> {
  const ours = held(POOL_LEASE)
  yield* run(sql`DELETE FROM svc_quota_monitor.gaps WHERE to_ms < ${before} AND ${ours}`)
  const samples = yield* run(
    sql`DELETE FROM svc_quota_monitor.quota_samples WHERE (account_id, window_id, at_ms) IN (
       SELECT account_id, window_id, at_ms FROM svc_quota_monitor.quota_samples WHERE at_ms < ${before} LIMIT ${rowsMax}) AND ${ours}`,
  )
  yield* run(sql`DELETE FROM svc_quota_monitor.asked_accounts WHERE at_ms < ${before} AND ${ours}`)
  const points = yield* run(
    sql`DELETE FROM svc_quota_monitor.capacity_points WHERE at_ms < ${before} AND ${ours}`,
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
    sql`SELECT max(bucket_s) AS value FROM ${DAY_SUMS}
      WHERE grouping = ${groupings.total} AND bucket_s <= ${Math.floor(falseAfter / 1000)}`,
  )
  const cut = cutAfterWrongClock(newestDayS, falseAfter)
  yield* cut === null ? metaSteps.clear('cut_ms') : metaSteps.set({ cut_ms: cut })
  yield* run(
    sql`DELETE FROM svc_quota_monitor.gaps WHERE from_ms > ${falseAfter}
      AND from_ms > (SELECT coalesce(max(at_ms), 0) FROM svc_quota_monitor.usage)`,
  )
  const beyond = sql`to_ms > ${falseAfter} AND from_ms <= ${falseAfter}`
  yield* run(
    sql`INSERT INTO svc_quota_monitor.gaps (upstream_id, from_ms, to_ms, reason)
      SELECT upstream_id, from_ms, CAST(${falseAfter} AS bigint), reason FROM svc_quota_monitor.gaps WHERE ${beyond} ON CONFLICT DO NOTHING`,
  )
  yield* run(sql`DELETE FROM svc_quota_monitor.gaps WHERE ${beyond}`)
  yield* run(
    sql`UPDATE svc_quota_monitor.recent_changes SET at_ms = ${falseAfter} WHERE at_ms > ${falseAfter}`,
  )
}
