import { DAY_MS, epochMs } from '@svc/core'
import { DEFAULT_UPSTREAM, type LeaseName, leaseOf, POOL_LEASE } from '@svc/core/service'
import { sql } from 'drizzle-orm'
import {
  cutOf,
  type OpenOptions,
  type RetentionPlan,
  type RetentionStep,
} from '../contract/history-store.ts'
import { ACCOUNT_PREFIX } from '../pool/stored-pool.ts'
import { leases, meta } from '../schema/postgres.ts'
import { always } from '../sql/connection.ts'
import { createDictionaries } from '../sql/dictionary.ts'
import type { Engine, Fence } from '../sql/engine.ts'
import { createHistoryStore, type HistoryStore } from '../sql/history-store.ts'
import { giveIdentity, readMeta } from '../sql/meta.ts'
import { moveCut, pruneCourse, pruneSums } from '../sql/retention.ts'
import { connectionOf } from './address.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/migrations.ts'
import { createPartitions, type Partitions } from './partitions.ts'
import { databaseError } from './postgres-error.ts'
import { openSession, type Session } from './session.ts'
import { createRowWriter } from './usage-rows.ts'

/** Opens the store at an address; several processes may have it open. Rejects with HistoryError. */
export async function openPostgresStore(
  location: string,
  { passwordFile = null, terms, onUpdate }: OpenOptions = {},
): Promise<HistoryStore> {
  const session = await openSession(connectionOf(location, passwordFile))
  try {
    const version = await migrate(session)
    if (version > 0 && version < migrations.length) onUpdate?.(version, migrations.length)
    return await storeIn(session, createFence(session, terms ?? null))
  } catch (error) {
    await session.close()
    throw error
  }
}

async function storeIn(session: Session, fence: Fence): Promise<HistoryStore> {
  const isNew = await giveIdentity(session)
  const instance = (await readMeta(session)).text('instance') ?? ''
  const serverVersion = await versionOf(session)
  const partitions = createPartitions(session)
  const lockCut = (against: 'moving' | 'reading') => lockCutIn(session, against)
  return createHistoryStore(
    {
      db: session,
      names: createDictionaries(session, instance),
      fence,
      rows: createRowWriter(session, partitions),
      lockCut,
      state: async () => ({ name: 'postgres', serverVersion, dayCount: await partitions.count() }),
      retain: (plan: RetentionPlan, step: RetentionStep) =>
        retentionStep(session, { fence, lockCut, partitions }, plan, step),
      // The database does its own upkeep.
      checkpoint: async () => undefined,
      close: () => session.close(),
    },
    isNew,
  )
}

/**
 * Locks the cut until the transaction ends, so that it does not move while requests are written: otherwise a request could be stored again after its
 * day was dropped, or have no day left. Locks the row of `instance`, because not every store has a row of the cut.
 */
export async function lockCutIn(session: Session, against: 'moving' | 'reading'): Promise<void> {
  await session.rows(
    `SELECT value FROM svc_quota_monitor.meta WHERE name = 'instance' FOR ${against === 'moving' ? 'SHARE' : 'UPDATE'}`,
  )
}

/** The server's version, as in `15.8`. */
async function versionOf(session: Session): Promise<string> {
  const [row] = await session.rows<{ server_version: string }>('SHOW server_version')
  return row?.server_version.split(' ')[0] ?? ''
}

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

/** Lower than every real term, so no lease is held under it. */
const NO_TERM = 0

/** Creates a fence. With `terms` null the store is not shared, and every decision is allowed. */
export function createFence(
  session: Pick<Session, 'rows'>,
  terms: ReadonlyMap<LeaseName, number> | null,
): Fence {
  const termOf = (lease: LeaseName) => terms?.get(lease) ?? NO_TERM
  return {
    async demand(...demanded) {
      if (terms === null || demanded.length === 0) return
      const names = [...new Set(demanded)]
      const held = await session.rows(
        `SELECT l.name FROM svc_quota_monitor.leases AS l
         JOIN unnest($1::text[], $2::bigint[]) AS asked (name, term) ON l.name = asked.name AND l.term = asked.term`,
        [names, names.map(termOf)],
      )
      if (held.length < names.length) throw databaseError('not_holder')
    },
    condition:
      terms === null
        ? always
        : (lease) =>
            sql`EXISTS (SELECT FROM ${leases} WHERE ${leases.name} = ${lease} AND ${leases.term} = ${termOf(lease)})`,
  }
}
