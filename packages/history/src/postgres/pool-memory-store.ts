import type { PoolMemoryUpdate, RememberedPool } from '@svc/core/pool'
import { DEFAULT_UPSTREAM, leaseOf, POOL_LEASE } from '@svc/core/service'
import { ACCOUNT_PREFIX, poolOfTexts, rowsOfPool, STANDING_NAME } from '../pool/stored-pool.ts'
import type { Fence } from './fence.ts'
import type { Session } from './session.ts'

/** Store of the pool's last state. Call both methods inside a transaction; they reject with HistoryError. */
export interface PoolMemoryStore {
  update(update: PoolMemoryUpdate): Promise<void>
  /** The stored pool; null if none was ever stored. */
  read(): Promise<RememberedPool | null>
}

/** Creates the store of the pool's last state, which the next process starts from and compares with. */
export function createPoolMemoryStore({ rows, run }: Session): PoolMemoryStore {
  return {
    async update(update) {
      // Ordered by name, so that two monitors storing at once wait for each other in the same order.
      const stored = rowsOfPool(update)
        .filter(([name]) => !name.includes('\0'))
        .sort(([one], [other]) => (one < other ? -1 : 1))
      const kept = stored.filter(([, value]) => value !== null)
      const gone = stored.flatMap(([name, value]) => (value === null ? [name] : []))
      await run(
        `INSERT INTO svc_quota_monitor.meta (name, value) SELECT name, value FROM unnest($1::text[], $2::text[]) AS kept (name, value)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        [kept.map(([name]) => name), kept.map(([, value]) => value)],
      )
      if (gone.length > 0)
        await run('DELETE FROM svc_quota_monitor.meta WHERE name = ANY ($1::text[])', [gone])
    },
    async read() {
      const [standing] = await rows<{ value: string }>(
        'SELECT value FROM svc_quota_monitor.meta WHERE name = $1',
        [STANDING_NAME],
      )
      if (standing === undefined) return null
      const accounts = await rows<{ value: string }>(
        'SELECT value FROM svc_quota_monitor.meta WHERE name LIKE $1 ORDER BY name',
        [`${ACCOUNT_PREFIX}%`],
      )
      return poolOfTexts(
        standing.value,
        accounts.map(({ value }) => value),
      )
    },
  }
}

/**
 * Deletes stored accounts of proxies that no monitor has acted for in this many days, while the lease of the pool is held. A monitor stores only
 * changes of its own proxies, so nobody else deletes those of a removed one. The days are counted by the database's clock, by which leases end: a
 * monitor's wrong clock deletes nothing. Rejects with HistoryError.
 */
export async function forgetUnwatched(
  { run }: Pick<Session, 'run'>,
  fence: Pick<Fence, 'condition'>,
  days: number,
): Promise<void> {
  const held = fence.condition(POOL_LEASE, 5)
  await run(
    `DELETE FROM svc_quota_monitor.meta WHERE name LIKE $1 || '%' AND ${held.sql} AND
       CASE strpos(name, '/') WHEN 0 THEN $2 ELSE $3 || split_part(substr(name, length($1) + 1), '/', 1) END IN (
         SELECT name FROM svc_quota_monitor.leases WHERE expires_at < clock_timestamp() - $4 * interval '1 day')`,
    [ACCOUNT_PREFIX, leaseOf(DEFAULT_UPSTREAM), leaseOf(''), days, ...held.values],
  )
}
