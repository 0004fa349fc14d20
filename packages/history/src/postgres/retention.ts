import { DAY_MS, epochMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { cutOf, type RetentionPlan, type RetentionStep } from '../contract/retention-plan.ts'
import type { Cut } from './cut.ts'
import type { Fence } from './fence.ts'
import type { Meta } from './meta.ts'
import type { Partitions } from './partitions.ts'
import { forgetUnwatched } from './pool-memory-store.ts'
import type { QuotaTables } from './quota-store.ts'
import { pruneRollups } from './rollups.ts'
import type { Session } from './session.ts'

/** Deletes some rows that have expired at this time, in one short step; false if nothing can be deleted now. Rejects with HistoryError. */
export async function retentionStep(
  session: Session,
  {
    fence,
    meta,
    cut,
    partitions,
    quota,
  }: {
    readonly fence: Fence
    readonly meta: Meta
    readonly cut: Cut
    readonly partitions: Pick<Partitions, 'dropOldest'>
    readonly quota: Pick<QuotaTables, 'prune'>
  },
  plan: RetentionPlan,
  { asOf, rowsMax }: RetentionStep,
): Promise<boolean> {
  const planned = cutOf(plan, asOf)
  await session.transaction('write', async () => {
    // Writers of requests wait for this transaction. A cut that a crash undoes has deleted nothing yet: the deletions are written later.
    await session.run('SET LOCAL synchronous_commit = off')
    const before = await cut.take()
    await meta.set({
      forgotten_as_of_ms: asOf,
      // The cut only moves forward: a deleted row is not stored again.
      ...(planned > (before ?? 0) ? { cut_ms: planned } : {}),
    })
    await fence.demand(POOL_LEASE)
  })
  // Uses the plan's cut, not the stored one, so that no younger row is ever deleted.
  if (await partitions.dropOldest(planned, fence)) return true
  if (await pruneRollups(session, fence, { now: asOf, rowsMax })) return true
  const historyCut = epochMs(asOf - plan.historyDays * DAY_MS)
  const held = fence.condition(POOL_LEASE, 2)
  await session.run(`DELETE FROM svc_quota_monitor.gaps WHERE to_ms < $1 AND ${held.sql}`, [
    historyCut,
    ...held.values,
  ])
  await forgetUnwatched(session, fence, plan.historyDays)
  return quota.prune(historyCut, rowsMax)
}
