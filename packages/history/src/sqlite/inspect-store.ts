import { existsSync, lstatSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type EpochMs, epochMs } from '@svc/core'
import { historyErrorOf, notAFile } from '../contract/history-error.ts'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { isNetworkFileSystem, NEWEST_VERSION, openForReading, tryToWrite } from './open-database.ts'
import { type Database, isSafeSqlite, sqliteVersion } from './sqlite.ts'
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
  /** Requests a day, on average of the last days that are kept; null where none are. */
  readonly requestsPerDay: number | null
  /** When the oldest request that is kept one by one was sent; null where none is. */
  readonly oldestRowAt: EpochMs | null
}

/** Of a store that holds nothing. */
const NO_USAGE = { requestsPerDay: null, oldestRowAt: null }
/** The last days that the average is of. */
const DAYS = 7

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
      return {
        file: absence(path),
        fileBytes: 0,
        isIntact: null,
        isLocked,
        ...NO_USAGE,
        ...place,
      }
    if (!stats.isFile()) throw notAFile()
    const empty = { file: 'empty', fileBytes: 0, isIntact: null, ...NO_USAGE } as const
    if (stats.size === 0) return { ...empty, isLocked, ...place }
    const { hasTables, isIntact, usage } = contentOf(path, stats.size)
    // The service that holds it writes every moment.
    if (!isLocked && isIntact !== false) tryToWrite(path)
    return {
      file: hasTables ? 'store' : 'empty',
      fileBytes: stats.size,
      isIntact,
      isLocked,
      ...usage,
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
): {
  readonly hasTables: boolean
  readonly isIntact: boolean | null
  readonly usage: Pick<StoreInspection, 'requestsPerDay' | 'oldestRowAt'>
} {
  const db = openForReading(path, NEWEST_VERSION)
  try {
    const isIntact =
      bytes <= CHECKED_BYTES_MAX ? db.pragma('quick_check(1)', { simple: true }) === 'ok' : null
    return {
      isIntact,
      usage: isIntact === false ? NO_USAGE : usageIn(db),
      hasTables: Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()) > 0,
    }
  } finally {
    db.close()
  }
}

function usageIn(db: Database): Pick<StoreInspection, 'requestsPerDay' | 'oldestRowAt'> {
  try {
    const oldest = db.prepare('SELECT min(at_ms) FROM usage').pluck().get()
    const perDay = db
      .prepare(
        `SELECT avg(requests) FROM (SELECT requests FROM rollups WHERE grouping = ? AND tier_seconds = ? ORDER BY bucket_s DESC LIMIT ${DAYS})`,
      )
      .pluck()
      .get(groupings.total, DAY_TIER_SECONDS)
    return {
      oldestRowAt: typeof oldest === 'number' ? epochMs(oldest) : null,
      requestsPerDay: typeof perDay === 'number' ? perDay : null,
    }
  } catch {
    // No tables yet, or those of another version.
    return NO_USAGE
  }
}
