import { existsSync, lstatSync, readlinkSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type EpochMs, epochMs } from '@svc/core'
import { type Database, isSafeSqlite } from '@svc/sqlite'
import { DAY_TIER_SECONDS, groupings } from '../usage/tiers.ts'
import { fileSystemOf } from './file-system.ts'
import { NEWEST_VERSION, openForReading, tryToWrite } from './open-database.ts'
import { sqliteDriver, sqliteVersion } from './sqlite.ts'
import { historyErrorOf } from './sqlite-error.ts'
import { isStoreLocked, lockablePath } from './store-lock.ts'

/** Facts about a store, or about the place for one, read without changing its content. */
export interface StoreInspection {
  /**
   * `empty`: a file without bytes or schema. A link is `dangling` if its target does not exist, `lost` if the target's folder does not exist either.
   */
  readonly file: 'missing' | 'dangling' | 'lost' | 'empty' | 'store'
  readonly fileBytes: number
  /** Null if the file was too large to check. */
  readonly isIntact: boolean | null
  /** Whether another process has it open for writing. */
  readonly isLocked: boolean
  readonly freeBytes: number
  readonly isOnNetwork: boolean
  /** Name of its file system if another machine may have the same folder; else null. */
  readonly sharedBy: string | null
  /** Requests a day, averaged over the last kept days; null without any. */
  readonly requestsPerDay: number | null
  /** Time of the oldest request kept one by one; null without any. */
  readonly oldestRowAt: EpochMs | null
}

/** Usage of an empty store. */
const NO_USAGE = { requestsPerDay: null, oldestRowAt: null }
/** Days of the average. */
const DAYS = 7

/** Largest file that is checked: a check reads every page and would take too long for a larger one. */
const CHECKED_BYTES_MAX = 128 * 1024 * 1024

/** Versions of the SQLite library and its driver, and whether a WAL file is safe with it. Throws HistoryError: module_missing. */
export function inspectSqlite(): {
  readonly version: string
  readonly driver: string
  readonly isSafe: boolean
} {
  const version = sqliteVersion()
  return { version, driver: sqliteDriver(), isSafe: isSafeSqlite(version) }
}

/** Inspects a store. Throws HistoryError: the reason why the service could not open it. */
export function inspectStore(path: string): StoreInspection {
  try {
    // A link that leads nowhere is told by `file`.
    const real = absence(path) === 'missing' || existsSync(path) ? lockablePath(path) : path
    const { bavail, bsize } = statfsSync(dirname(real))
    const { kind, name } = fileSystemOf(real)
    const place = {
      freeBytes: bavail * bsize,
      isOnNetwork: kind === 'network',
      sharedBy: kind === 'shared' ? name : null,
    }
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
    const empty = { file: 'empty', fileBytes: 0, isIntact: null, ...NO_USAGE } as const
    if (stats.size === 0) return { ...empty, isLocked, ...place }
    const { hasTables, isIntact, usage } = contentOf(path, stats.size)
    // A service that holds the lock is writing all the time.
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
    // The tables are missing or of another version.
    return NO_USAGE
  }
}
