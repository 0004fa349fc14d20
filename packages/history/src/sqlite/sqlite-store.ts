import { statSync } from 'node:fs'
import type { QuotaStore } from '@svc/core/pool'
import type { UpstreamName } from '@svc/core/service'
import type { UsageStore } from '@svc/core/usage'
import { type Database, inTransaction } from '@svc/sqlite'
import { HistoryError } from '../contract/history-error.ts'
import type { HistoryStore } from '../contract/history-store.ts'
import type { OpenOptions } from '../contract/open-options.ts'
import { cutOf } from '../contract/retention-plan.ts'
import { missedTime } from '../sql/gaps.ts'
import { takeBackFuture } from '../sql/retention.ts'
import { rowTime, upstreamNames } from '../sql/store-facts.ts'
import { createDictionaries } from './dictionary.ts'
import { fileUse, spaceAt } from './file-use.ts'
import { createMeta } from './meta.ts'
import { openForWriting, WAL_BYTES_MAX } from './open-database.ts'
import { promised } from './promised.ts'
import { createQuotaStore, type Transaction } from './quota-store.ts'
import { retentionStep } from './retention.ts'
import { runSteps } from './run-steps.ts'
import { historyErrorOf } from './sqlite-error.ts'
import { watchStoreFile } from './store-file.ts'
import { type LockedStore, lockStore } from './store-lock.ts'
import { createUsageRows } from './usage-rows.ts'
import { createUsageStore } from './usage-store.ts'

/** Opens the store for this process alone. Throws HistoryError. */
export function openSqliteStore(name: string, options: OpenOptions = {}): HistoryStore {
  const lock = lockStore(name)
  try {
    const db = openForWriting(lock.path, options)
    try {
      return storeIn(db, lock)
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw historyErrorOf(error)
  }
}

function storeIn(db: Database, lock: LockedStore): HistoryStore {
  const { path } = lock
  const meta = createMeta(db)
  const isNew = meta.read().text('instance') === null
  if (isNew) inTransaction(db, meta.giveIdentity)
  const dictionaries = createDictionaries(db, meta.read().text('instance') ?? '')
  const rows = createUsageRows(db, dictionaries)
  const walBytes = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const write = <Result>(work: () => Result): Result => {
    try {
      file.look()
      requireSpace(path)
      const result = work()
      file.written()
      return result
    } catch (error) {
      throw historyErrorOf(error)
    }
  }
  /** Stores and remembers everything or nothing. */
  const transaction: Transaction = (work) => {
    try {
      return inTransaction(db, work)
    } catch (error) {
      dictionaries.forget()
      rows.discard()
      throw error
    }
  }
  const checked: Transaction = (work) => write(() => transaction(work))
  const parts = { meta, dictionaries, rows, transaction: checked }
  const usageStores = new Map<UpstreamName, UsageStore>()
  const usageOf = (upstream: UpstreamName): UsageStore => {
    const known = usageStores.get(upstream)
    if (known !== undefined) return known
    const usage = promised<UsageStore>(createUsageStore(db, parts, upstream))
    usageStores.set(upstream, usage)
    return usage
  }
  // Opened last, because nothing after it can fail and leave it open.
  const file = watchStoreFile(path, db)
  return {
    usageOf,
    quota: promised<QuotaStore>(createQuotaStore(db, dictionaries, checked)),
    ...promised<Omit<HistoryStore, 'usageOf' | 'quota'>>({
      facts() {
        const values = meta.read()
        return {
          isNew,
          engine: { name: 'sqlite', walBytes: walBytes(), use: fileUse(db, path) },
          newestRecordAt: runSteps(db, rowTime('max')),
          forgottenAsOf: values.instant('forgotten_as_of_ms') ?? runSteps(db, rowTime('min')),
          counters: values.counters(),
        }
      },
      upstreams: () => runSteps(db, upstreamNames()),
      missedMs: (since, now) => runSteps(db, missedTime(since, now)),
      retain: (plan, step) => write(() => retentionStep(db, { meta, transaction }, plan, step)),
      backlogMs(plan, asOf) {
        const at = runSteps(db, rowTime('min'))
        return at === null ? 0 : Math.max(0, cutOf(plan, asOf) - at)
      },
      settleFuture(falseAfter) {
        if ((meta.read().instant('cut_ms') ?? 0) > falseAfter)
          checked(() => runSteps(db, takeBackFuture(falseAfter)))
      },
      checkpoint() {
        const mode = walBytes() > WAL_BYTES_MAX / 2 ? 'TRUNCATE' : 'PASSIVE'
        write(() => void db.pragma(`wal_checkpoint(${mode})`))
      },
      close() {
        try {
          db.pragma('wal_checkpoint(TRUNCATE)')
        } catch {
          // A reader or the disk prevents it; the next start finds the rest in the WAL file.
        }
        db.close()
        file.close()
        lock.release()
      },
    }),
  }
}

/** Checks the free space. Throws HistoryError: disk_full. */
function requireSpace(path: string): void {
  if (spaceAt(path).roomBytes < 0) throw new HistoryError('disk_full')
}
