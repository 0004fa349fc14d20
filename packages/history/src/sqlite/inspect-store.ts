import { existsSync, lstatSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { historyErrorOf, notAFile } from '../contract/history-error.ts'
import { isNetworkFileSystem, NEWEST_VERSION, openForReading, tryToWrite } from './open-database.ts'
import { isSafeSqlite, sqliteVersion } from './sqlite.ts'
import { isStoreLocked } from './store-lock.ts'

/** What can be learned about a store, or about the place where one is to be, without changing its content. */
export interface StoreInspection {
  /** `empty`: a file of no bytes, or without a schema yet. A link is `dangling` when the file it leads to does not exist, `lost` when its folder does not either. */
  readonly file: 'missing' | 'dangling' | 'lost' | 'empty' | 'store'
  readonly fileBytes: number
  /** Null where it has not been checked because the file is large. */
  readonly isIntact: boolean | null
  /** Another process has it open for writing. */
  readonly isLocked: boolean
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

/** Throws HistoryError: what would keep the service from opening the store. */
export function inspectStore(path: string): StoreInspection {
  try {
    const { bavail, bsize, type } = statfsSync(dirname(path))
    const place = { freeBytes: bavail * bsize, isOnNetwork: isNetworkFileSystem(type) }
    const isLocked = isStoreLocked(path)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined)
      return { file: absence(path), fileBytes: 0, isIntact: null, isLocked, ...place }
    if (!stats.isFile()) throw notAFile()
    if (stats.size === 0) return { file: 'empty', fileBytes: 0, isIntact: null, isLocked, ...place }
    const { hasTables, isIntact } = contentOf(path, stats.size)
    // The service that holds it writes every moment.
    if (!isLocked && isIntact !== false) tryToWrite(path)
    return {
      file: hasTables ? 'store' : 'empty',
      fileBytes: stats.size,
      isIntact,
      isLocked,
      ...place,
    }
  } catch (error) {
    throw historyErrorOf(error)
  }
}

function absence(path: string): 'missing' | 'dangling' | 'lost' {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return 'missing'
  return existsSync(dirname(resolve(dirname(path), readlinkSync(path)))) ? 'dangling' : 'lost'
}

function contentOf(
  path: string,
  bytes: number,
): { readonly hasTables: boolean; readonly isIntact: boolean | null } {
  const db = openForReading(path, NEWEST_VERSION)
  try {
    const isIntact =
      bytes <= CHECKED_BYTES_MAX ? db.pragma('quick_check(1)', { simple: true }) === 'ok' : null
    return {
      isIntact,
      hasTables: Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()) > 0,
    }
  } finally {
    db.close()
  }
}
