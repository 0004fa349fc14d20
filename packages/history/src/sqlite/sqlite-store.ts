import { statSync } from 'node:fs'
import { DAY_MS, epochMs } from '@svc/core'
import type { Database } from '@svc/sqlite'
import { sql } from 'drizzle-orm'
import { HistoryError } from '../contract/history-error.ts'
import {
  cutOf,
  type OpenOptions,
  type RetentionPlan,
  type RetentionStep,
} from '../contract/history-store.ts'
import { usage } from '../schema/sqlite.ts'
import { always, type Connection } from '../sql/connection.ts'
import { createDictionaries } from '../sql/dictionary.ts'
import type { Fence } from '../sql/engine.ts'
import { createHistoryStore, type HistoryStore } from '../sql/history-store.ts'
import { giveIdentity, readMeta } from '../sql/meta.ts'
import { moveCut, pruneCourse, pruneSums } from '../sql/retention.ts'
import { connectionTo } from './connection.ts'
import { fileUse, spaceAt } from './file-system.ts'
import { openForWriting, WAL_BYTES_MAX } from './open-database.ts'
import { historyErrorOf } from './sqlite-error.ts'
import { watchStoreFile } from './store-file.ts'
import { type LockedStore, lockStore } from './store-lock.ts'
import { createRowWriter } from './usage-rows.ts'

/** Opens the store for this process alone. Rejects with HistoryError. */
export async function openSqliteStore(
  name: string,
  options: OpenOptions = {},
): Promise<HistoryStore> {
  const lock = lockStore(name)
  try {
    const db = openForWriting(lock.path, options)
    try {
      return await storeIn(db, lock)
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw historyErrorOf(error)
  }
}

/** Fence that allows every decision, because no other monitor uses a file. */
const fence: Fence = { demand: async () => undefined, condition: always }

async function storeIn(db: Database, lock: LockedStore): Promise<HistoryStore> {
  const { path } = lock
  const unguarded = connectionTo(db)
  const isNew = (await readMeta(unguarded)).text('instance') === null
  if (isNew) await unguarded.transaction('write', () => giveIdentity(unguarded))
  const walBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const write = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      file.look()
      // Throws HistoryError: disk_full.
      if (spaceAt(path).roomBytes < 0) throw new HistoryError('disk_full')
      const result = await work()
      file.written()
      return result
    } catch (error) {
      throw historyErrorOf(error)
    }
  }
  const connection: Connection = {
    ...unguarded,
    transaction: (kind, work) =>
      kind === 'read'
        ? unguarded.transaction(kind, work)
        : write(() => unguarded.transaction(kind, work)),
  }
  const instance = (await readMeta(connection)).text('instance') ?? ''
  const engine = {
    db: connection,
    names: createDictionaries(connection, instance),
    fence,
    rows: createRowWriter(db),
    // There is no other writer.
    lockCut: async () => undefined,
    state: async () => ({ name: 'sqlite', walBytes: walBytes(), use: fileUse(db, path) }) as const,
    retain: (plan: RetentionPlan, step: RetentionStep) => retentionStep(db, connection, plan, step),
    async checkpoint() {
      const mode = walBytes() > WAL_BYTES_MAX / 2 ? 'TRUNCATE' : 'PASSIVE'
      await write(async () => void db.pragma(`wal_checkpoint(${mode})`))
    },
    async close() {
      try {
        db.pragma('wal_checkpoint(TRUNCATE)')
      } catch {
        // A reader or the disk prevents it; the next start finds the rest in the WAL file.
      }
      db.close()
      file.close()
      lock.release()
    },
  }
  // Opened last, because nothing after it can fail and leave it open.
  const file = watchStoreFile(path, db)
  return createHistoryStore(engine, isNew)
}

/** Pages returned to the file system in one step. */
const PAGES_PER_STEP = 500

/** Deletes some rows that have expired at this time, in one short step; false if none are left. Rejects with HistoryError. */
export async function retentionStep(
  db: Database,
  connection: Connection,
  plan: RetentionPlan,
  step: RetentionStep,
): Promise<boolean> {
  const { asOf, rowsMax } = step
  const cut = cutOf(plan, asOf)
  const forget = async () => {
    await moveCut(connection, cut, asOf)
    // Uses the plan's cut, not the stored one, so that no younger row is ever deleted.
    const rows = await connection.run(
      sql`DELETE FROM ${usage} WHERE (${usage.atMs}, ${usage.key}) IN (
        SELECT ${usage.atMs}, ${usage.key} FROM ${usage} WHERE ${usage.atMs} < ${cut} ORDER BY ${usage.atMs} LIMIT ${rowsMax})`,
    )
    if (rows > 0 || (await pruneSums(connection, always, step))) return true
    const before = epochMs(asOf - plan.historyDays * DAY_MS)
    return pruneCourse(connection, always, { before, rowsMax })
  }
  // Commits without waiting for the disk: rows that return after a power failure are deleted again. The log keeps the order of commits.
  db.pragma('synchronous = NORMAL')
  try {
    if (await connection.transaction('write', forget)) return true
  } finally {
    db.pragma('synchronous = FULL')
  }
  if (Number(db.pragma('freelist_count', { simple: true })) <= PAGES_PER_STEP) return false
  db.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
  return true
}
