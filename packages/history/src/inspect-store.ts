import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { HistoryError, historyErrorOf } from './history-error.ts'
import { isNetworkFileSystem, openForReading } from './open-database.ts'
import { isSafeSqlite, sqliteVersion } from './sqlite.ts'

/** What can be told of a store, or of the place where one is to be, without writing anything. */
export interface StoreInspection {
  /** `empty`: a file of no bytes, or without a schema yet. */
  readonly file: 'missing' | 'empty' | 'store'
  readonly fileBytes: number
  /** Null where it has not been checked because the file is large. */
  readonly isIntact: boolean | null
  readonly freeBytes: number
  readonly isOnNetwork: boolean
}

/** A check reads every page; of a larger file it would take longer than anyone waits. */
const CHECKED_BYTES_MAX = 128 * 1024 * 1024

/** Version of the SQLite library, and whether a WAL file is safe with it. Throws HistoryError: module_missing. */
export function inspectSqlite(): { readonly version: string; readonly isSafe: boolean } {
  const version = sqliteVersion()
  return { version, isSafe: isSafeSqlite(version) }
}

/** Throws HistoryError: what keeps the store from being read. */
export function inspectStore(path: string): StoreInspection {
  try {
    const { bavail, bsize, type } = statfsSync(dirname(path))
    const place = { freeBytes: bavail * bsize, isOnNetwork: isNetworkFileSystem(type) }
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return { file: 'missing', fileBytes: 0, isIntact: null, ...place }
    if (!stats.isFile()) throw new HistoryError('cannot_open', 'what stands in the place of the history store is no file')
    if (stats.size === 0) return { file: 'empty', fileBytes: 0, isIntact: null, ...place }
    const db = openForReading(path)
    try {
      const isChecked = stats.size <= CHECKED_BYTES_MAX
      const isIntact = isChecked ? db.pragma('quick_check(1)', { simple: true }) === 'ok' : null
      const hasTables = Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()) > 0
      return { file: hasTables ? 'store' : 'empty', fileBytes: stats.size, isIntact, ...place }
    } finally {
      db.close()
    }
  } catch (error) {
    throw historyErrorOf(error)
  }
}
