import { DAY_MS, epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM, leaseOf, POOL_LEASE } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { cutOf, type RetentionPlan, type RetentionStep } from '../contract/retention-plan.ts'
import { ACCOUNT_PREFIX } from '../pool/stored-pool.ts'
import type { Meta } from '../sql/meta.ts'
import { pruneCourse } from '../sql/retention.ts'
import { run } from '../sql/steps.ts'
import type { Cut } from './cut.ts'
import type { Fence } from './fence.ts'
import type { Partitions } from './partitions.ts'
import { pruneRollups } from './rollups.ts'
import { runSteps } from './run-steps.ts'
import type { Session } from './session.ts'

/** Deletes some rows that have expired at this time, in one short step; false if nothing can be deleted now. Rejects with HistoryError. */
export async function retentionStep(
  session: Session,
  {
    fence,
    meta,
    cut,
    partitions,
  }: {
    readonly fence: Fence
    readonly meta: Meta
    readonly cut: Cut
    readonly partitions: Pick<Partitions, 'dropOldest'>
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
  await forgetUnwatched(session, fence, plan.historyDays)
  return runSteps(session, pruneCourse(historyCut, rowsMax, fence.condition))
}

/**
 * Deletes stored accounts of proxies that no monitor has acted for in this many days, while the pool's lease is held. A monitor stores only
 * changes of its own proxies, so no monitor deletes accounts of a removed proxy. Days are counted by the database's clock, which also ends
 * leases, so that a monitor's wrong clock deletes nothing. Rejects with HistoryError.
 */
export async function forgetUnwatched(
  session: Session,
  fence: Pick<Fence, 'condition'>,
  days: number,
): Promise<void> {
  const proxy = sql`split_part(substr(name, ${ACCOUNT_PREFIX.length + 1}), '/', 1)`
  const lease = sql`CASE strpos(name, '/') WHEN 0 THEN ${leaseOf(DEFAULT_UPSTREAM)} ELSE ${leaseOf('')} || ${proxy} END`
  const unwatched = sql`SELECT name FROM svc_quota_monitor.leases WHERE expires_at < clock_timestamp() - ${days} * interval '1 day'`
  await runSteps(
    session,
    run(
      sql`DELETE FROM svc_quota_monitor.meta
        WHERE name LIKE ${`${ACCOUNT_PREFIX}%`} AND ${fence.condition(POOL_LEASE)} AND ${lease} IN (${unwatched})`,
    ),
  )
}
