import { DAY_MS, type EpochMs, epochMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { HistoryError } from '../contract/history-error.ts'
import type { Fence } from '../sql/engine.ts'
import type { Session } from './session.ts'

/** Maximum of partitions created in one transaction, because each takes locks on the server. */
const DAYS_AT_ONCE = 20
/** Longest wait for the lock that drops a day. Readers and writers of requests are blocked meanwhile. */
const FORGET_WAIT_MS = 30
/** Name prefix of a detached day that is about to be dropped. */
const FORGOTTEN = 'forgotten_'

export type Partitions = ReturnType<typeof createPartitions>

/**
 * Partitions of single requests by day. Only this module creates and drops tables while the store is open. A method that fails rejects with
 * HistoryError.
 */
export function createPartitions(session: Session) {
  let known: ReadonlySet<number> | null = null
  const daysOf = async (): Promise<ReadonlySet<number>> =>
    new Set((await readDays(session)).map(({ from }) => from))
  const missing = async (times: Iterable<EpochMs>): Promise<readonly number[]> => {
    known ??= await daysOf()
    const wanted = new Set<number>()
    for (const at of times) {
      const day = Math.floor(at / DAY_MS) * DAY_MS
      if (!known.has(day)) wanted.add(day)
    }
    return [...wanted].sort((one, other) => one - other).slice(0, DAYS_AT_ONCE)
  }
  return {
    /** Creates missing partitions for the days of these times. Call before a transaction. */
    async ensure(times: Iterable<EpochMs>): Promise<void> {
      const all = [...times]
      for (let days = await missing(all); days.length > 0; days = await missing(all)) {
        known = null
        await makeDays(session, days)
      }
    },
    /** Clears the cached list of days, which may be wrong after a failure; the next use reads it again. */
    distrust(): void {
      known = null
    },
    count: async () => (await readDays(session)).length,
    /**
     * Drops the oldest day if it ends by `before` and the lease of the pool is held. False if there is no such day, or if a long reader blocks it for
     * now.
     */
    async dropOldest(before: EpochMs, fence: Pick<Fence, 'demand'>): Promise<boolean> {
      await dropForgotten(session)
      const [oldest] = await readDays(session)
      if (oldest === undefined || oldest.to > before) return false
      known = null
      return dropDay(session, fence, oldest)
    },
  }
}

interface Day {
  readonly name: string
  readonly from: EpochMs
  readonly to: EpochMs
}

const BOUNDS = /FROM \('?(-?\d+)'?\) TO \('?(-?\d+)'?\)/

async function readDays(session: Session): Promise<readonly Day[]> {
  const rows = await session.rows<{ name: string; bounds: string }>(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
     FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'svc_quota_monitor.usage'::regclass`,
  )
  return rows
    .flatMap(({ name, bounds }) => {
      const [, from, to] = BOUNDS.exec(bounds) ?? []
      return from === undefined || to === undefined
        ? []
        : [{ name, from: epochMs(Number(from)), to: epochMs(Number(to)) }]
    })
    .sort((one, other) => one.from - other.from)
}

/**
 * Creates tables and then attaches them as partitions. Unlike creating a partition directly, this blocks neither readers nor writers. Of two monitors
 * one waits for the other and then finds its tables.
 */
function makeDays(session: Session, days: readonly number[]): Promise<void> {
  return session.transaction('write', async () => {
    await session.run('LOCK TABLE ONLY svc_quota_monitor.usage IN SHARE UPDATE EXCLUSIVE MODE')
    const made = new Set<number>((await readDays(session)).map(({ from }) => from))
    for (const day of days.filter((one) => !made.has(one))) {
      const table = quote(`usage_${nameOf(day)}`)
      await session.run(`CREATE TABLE ${table} (LIKE svc_quota_monitor.usage)`)
      await session.run(
        `ALTER TABLE svc_quota_monitor.usage ATTACH PARTITION ${table} FOR VALUES FROM (${day}) TO (${day + DAY_MS})`,
      )
    }
  })
}

/** Name of a day, as in 20261120; longer for years outside 0 to 9999. */
function nameOf(day: number): string {
  const [date = ''] = new Date(day).toISOString().split('T')
  return date.replaceAll('-', '')
}

/**
 * Detaches a day's table and drops it afterwards. Detaching blocks all readers and writers of requests, so its commit does not wait for the disk. If
 * a crash undoes it, it is done again.
 */
async function dropDay(
  session: Session,
  fence: Pick<Fence, 'demand'>,
  { name }: Day,
): Promise<boolean> {
  try {
    await session.transaction('write', async () => {
      await session.run(
        `SET LOCAL lock_timeout = '${FORGET_WAIT_MS}ms'; SET LOCAL synchronous_commit = off`,
      )
      await fence.demand(POOL_LEASE)
      await session.run(
        `ALTER TABLE svc_quota_monitor.usage DETACH PARTITION ${quote(name)}; ALTER TABLE ${quote(name)} RENAME TO "${FORGOTTEN}${name}"`,
      )
    })
  } catch (error) {
    if (error instanceof HistoryError && error.code === 'busy') return false
    throw error
  }
  await dropForgotten(session)
  return true
}

/** Drops detached days, including those left by a crash. */
async function dropForgotten(session: Session): Promise<void> {
  const tables = await session.rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_catalog.pg_class c
     WHERE c.relnamespace = 'svc_quota_monitor'::regnamespace AND c.relkind = 'r' AND c.relname LIKE $1`,
    [`${FORGOTTEN.replaceAll('_', '\\_')}%`],
  )
  for (const { name } of tables) await session.run(`DROP TABLE IF EXISTS ${quote(name)}`)
}

function quote(name: string): string {
  return `svc_quota_monitor."${name.replaceAll('"', '""')}"`
}
