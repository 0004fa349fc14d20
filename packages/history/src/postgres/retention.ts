import { DAY_MS, epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM, leaseOf, POOL_LEASE } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import { cutOf, type RetentionPlan, type RetentionStep } from '../contract/history-store.ts'
import { ACCOUNT_PREFIX } from '../pool/stored-pool.ts'
import { leases, meta } from '../schema/postgres.ts'
import type { Engine, Fence } from '../sql/engine.ts'
import { moveCut, pruneCourse, pruneSums } from '../sql/retention.ts'
import type { Partitions } from './partitions.ts'
import type { Session } from './session.ts'

/** Deletes some rows that have expired at this time, in one short step; false if nothing can be deleted now. Rejects with HistoryError. */
export async function retentionStep(
  session: Session,
  {
    fence,
    lockCut,
    partitions,
  }: Pick<Engine, 'fence' | 'lockCut'> & { readonly partitions: Pick<Partitions, 'dropOldest'> },
  plan: RetentionPlan,
  step: RetentionStep,
): Promise<boolean> {
  const { asOf, rowsMax } = step
  const planned = cutOf(plan, asOf)
  await session.transaction('write', async () => {
    // Writers of requests wait for this transaction. A cut that a crash undoes has deleted nothing yet: the deletions are written later.
    await session.run('SET LOCAL synchronous_commit = off')
    await lockCut('reading')
    await moveCut(session, planned, asOf)
    await fence.demand(POOL_LEASE)
  })
  // Uses the plan's cut, not the stored one, so that no younger row is ever deleted.
  if (await partitions.dropOldest(planned, fence)) return true
  if (await pruneSums(session, fence.condition, step)) return true
  await forgetUnwatched(session, fence, plan.historyDays)
  const before = epochMs(asOf - plan.historyDays * DAY_MS)
  return pruneCourse(session, fence.condition, { before, rowsMax })
}

/**
 * Deletes stored accounts of proxies for which no monitor has acted in this many days, while the lease of the pool is held. A monitor stores only
 * changes of its own proxies, so no monitor would delete accounts of a removed proxy. Days are counted by the database's clock, which also ends
 * leases, so that a monitor's wrong clock deletes nothing. Rejects with HistoryError.
 */
export async function forgetUnwatched(
  session: Session,
  fence: Pick<Fence, 'condition'>,
  days: number,
): Promise<void> {
  const proxy = sql`split_part(substr(${meta.name}, ${ACCOUNT_PREFIX.length + 1}), '/', 1)`
  const lease = sql`CASE strpos(${meta.name}, '/') WHEN 0 THEN ${leaseOf(DEFAULT_UPSTREAM)} ELSE ${leaseOf('')} || ${proxy} END`
  const unwatched = sql`SELECT ${leases.name} FROM ${leases} WHERE ${leases.expiresAt} < clock_timestamp() - ${days} * interval '1 day'`
  await session.run(
    sql`DELETE FROM ${meta}
      WHERE ${meta.name} LIKE ${`${ACCOUNT_PREFIX}%`} AND ${fence.condition(POOL_LEASE)} AND ${lease} IN (${unwatched})`,
  )
}
