import type { EpochMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { type Held, run, type Steps } from './steps.ts'

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
