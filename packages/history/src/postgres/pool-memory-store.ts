import {
  DEFAULT_UPSTREAM,
  leaseOf,
  POOL_LEASE,
  type PoolMemoryUpdate,
  type RememberedPool,
} from '@svc/core/service'
import { ACCOUNT_PREFIX, poolOfTexts, rowsOfPool, STANDING_NAME } from '../pool/stored-pool.ts'
import type { Fence } from './fence.ts'
import type { Session } from './session.ts'

/** Both are called inside a transaction. They reject with HistoryError. */
export interface PoolMemoryStore {
  update(update: PoolMemoryUpdate): Promise<void>
  /** Null when none was ever kept. */
  read(): Promise<RememberedPool | null>
}

/** Keeps how the pool was last seen, for the next process to begin with and to compare with. */
export function createPoolMemoryStore({ rows, run }: Session): PoolMemoryStore {
  return {
    async update(update) {
      // By their names, so that two monitors that store at once wait for each other in the same order.
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
 * Forgets what is kept of the accounts of each proxy that no monitor has acted for in so many days, as long as the lease of the pool is held.
 * A monitor keeps what has changed at its own proxies alone, so nobody does it for a proxy that was removed. The days pass by the clock of the
 * database, which the leases end by: a wrong clock of a monitor forgets nothing. Rejects with HistoryError.
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
