import { type EpochMs, epochMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import { HistoryError } from '../contract/history-error.ts'
import type { Fence } from './fence.ts'
import type { Session } from './session.ts'

const DAY_MS = 86_400_000
/** Days that are made in one transaction: each takes locks of the server. */
const DAYS_AT_ONCE = 20
/** Forgetting a day needs a moment in which nobody reads or writes requests; whoever comes meanwhile waits this long at the most. */
const FORGET_WAIT_MS = 30
/** Begins the name of a day that is no longer one, and is about to be dropped. */
const FORGOTTEN = 'forgotten_'

/** The days that single requests are kept in: the one place that makes and drops tables while the store is open. Every method rejects with HistoryError. */
export interface Partitions {
  /** Makes the days of these times that are not there yet. Call before a transaction. */
  ensure(times: Iterable<EpochMs>): Promise<void>
  /** What is known of the days may be wrong, as after a failure: they are looked up when they are needed next. */
  distrust(): void
  /** How many days there are. */
  count(): Promise<number>
  /** Drops the oldest day where it ends by then, as long as the lease of the pool is held; false when there is none, or somebody has been reading for too long: it is left for another time. */
  dropOldest(before: EpochMs, fence: Pick<Fence, 'demand'>): Promise<boolean>
}

export function createPartitions(session: Session): Partitions {
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
    async ensure(times) {
      const all = [...times]
      for (let days = await missing(all); days.length > 0; days = await missing(all)) {
        known = null
        await makeDays(session, days)
      }
    },
    distrust() {
      known = null
    },
    count: async () => (await readDays(session)).length,
    async dropOldest(before, fence) {
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

/** The days there are, the oldest first. */
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
 * A table becomes a day once it is made, which stops neither readers nor writers, as making it a day at once would. Of two monitors one waits for the
 * other, and finds what that one has made.
 */
function makeDays(session: Session, days: readonly number[]): Promise<void> {
  return session.transaction('write', async () => {
    await session.run('LOCK TABLE ONLY svc_quota_monitor.usage IN SHARE UPDATE EXCLUSIVE MODE')
    const made = new Set<number>((await readDays(session)).map(({ from }) => from))
    for (const day of days.filter((one) => !made.has(one))) {
      const table = quoted(`usage_${nameOf(day)}`)
      await session.run(`CREATE TABLE ${table} (LIKE svc_quota_monitor.usage)`)
      await session.run(
        `ALTER TABLE svc_quota_monitor.usage ATTACH PARTITION ${table} FOR VALUES FROM (${day}) TO (${day + DAY_MS})`,
      )
    }
  })
}

/** As in 20261120; years of more than four digits, and those before the first, have more. */
function nameOf(day: number): string {
  const [date = ''] = new Date(day).toISOString().split('T')
  return date.replaceAll('-', '')
}

/**
 * Nobody can read or write requests while a day becomes a table of its own, so that takes no longer than it must: its commit does not wait for the disk,
 * and the table is dropped afterwards. What a crash undoes of it is done again.
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
        `ALTER TABLE svc_quota_monitor.usage DETACH PARTITION ${quoted(name)}; ALTER TABLE ${quoted(name)} RENAME TO "${FORGOTTEN}${name}"`,
      )
    })
  } catch (error) {
    if (error instanceof HistoryError && error.code === 'busy') return false
    throw error
  }
  await dropForgotten(session)
  return true
}

/** Also what was left when somebody died before. */
async function dropForgotten(session: Session): Promise<void> {
  const tables = await session.rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_catalog.pg_class c
     WHERE c.relnamespace = 'svc_quota_monitor'::regnamespace AND c.relkind = 'r' AND c.relname LIKE $1`,
    [`${FORGOTTEN.replaceAll('_', '\\_')}%`],
  )
  for (const { name } of tables) await session.run(`DROP TABLE IF EXISTS ${quoted(name)}`)
}

function quoted(name: string): string {
  return `svc_quota_monitor."${name.replaceAll('"', '""')}"`
}
