import { existsSync, lstatSync, readlinkSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { FileUse } from '@svc/core/service'
import { type Database, isSafeSqlite } from '@svc/sqlite'
import { fileSystemOf, fileUse, spaceAt } from './file-system.ts'
import { NEWEST_VERSION, openForReading, tryToWrite } from './open-database.ts'
import { closedAfter, sqliteDriver, sqliteVersion } from './sqlite.ts'
import { asHistoryError } from './sqlite-error.ts'
import { isStoreLocked, lockablePath } from './store-lock.ts'

/** Reads counts and sizes of a store, without any row. Throws HistoryError: the reason why it cannot be read. */
export function storeShape(path: string) {
  return asHistoryError(() =>
    closedAfter(openForReading(path), (db) => {
      const pragma = (name: string) => db.pragma(name, { simple: true })
      const tables = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .pluck()
        .all() as string[]
      const rows = tables.map((name) => [name, rowCountOf(db, name)] as const)
      return {
        schemaVersion: Number(pragma('user_version')),
        fileBytes: statSync(path).size,
        /** Bytes of the log file; 0 without one. */
        walBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
        pageBytes: Number(pragma('page_size')),
        freePages: Number(pragma('freelist_count')),
        journalMode: String(pragma('journal_mode')),
        rowsByTable: Object.fromEntries(rows),
      }
    }),
  )
}

/** Number of rows in a table of any name. */
export function rowCountOf(db: Database, table: string): number {
  const quoted = `"${table.replaceAll('"', '""')}"`
  return Number(db.prepare(`SELECT count(*) FROM ${quoted}`).pluck().get())
}

/** Facts about a store, or about the place for one, read without changing its content. */
export interface StoreInspection {
  /**
   * `empty`: a file without bytes or schema. A link is `dangling` if its target does not exist, `lost` if the target's folder does not exist either.
   */
  readonly file: 'missing' | 'dangling' | 'lost' | 'empty' | 'store'
  readonly fileBytes: number
  /** Null if the file was too large to check. */
  readonly isIntact: boolean | null
  /** Whether another process has the store open for writing. */
  readonly isLocked: boolean
  readonly freeBytes: number
  readonly isOnNetwork: boolean
  /** Name of the file system if another machine may use the same folder; null otherwise. */
  readonly sharedBy: string | null
  /** Null without a store whose tables can be read. */
  readonly use: FileUse | null
}

/** Largest file that is checked, in bytes. A check reads every page and would take too long for a larger file. */
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
  return asHistoryError(() => {
    // A link that leads nowhere is told by `file`.
    const real = absence(path) === 'missing' || existsSync(path) ? lockablePath(path) : path
    const { kind, name } = fileSystemOf(real)
    const place = {
      freeBytes: spaceAt(real).freeBytes,
      isOnNetwork: kind === 'network',
      sharedBy: kind === 'shared' ? name : null,
      isLocked: isStoreLocked(path),
    }
    const fileBytes = statSync(path, { throwIfNoEntry: false })?.size
    if (fileBytes === undefined || fileBytes === 0) {
      const file = fileBytes === 0 ? 'empty' : absence(path)
      return { file, fileBytes: 0, isIntact: null, use: null, ...place }
    }
    const { hasTables, isIntact, use } = contentOf(path, fileBytes)
    // A service that holds the lock is writing all the time.
    if (!place.isLocked && isIntact !== false) tryToWrite(path)
    return { file: hasTables ? 'store' : 'empty', fileBytes, isIntact, use, ...place }
  })
}

function absence(path: string): 'missing' | 'dangling' | 'lost' {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return 'missing'
  return existsSync(dirname(resolve(dirname(path), readlinkSync(path)))) ? 'dangling' : 'lost'
}

function contentOf(path: string, bytes: number) {
  return closedAfter(openForReading(path, NEWEST_VERSION), (db) => {
    const isIntact =
      bytes <= CHECKED_BYTES_MAX ? db.pragma('quick_check(1)', { simple: true }) === 'ok' : null
    return {
      isIntact,
      use: isIntact === false ? null : useIn(db, path),
      hasTables: Number(db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()) > 0,
    }
  })
}

function useIn(db: Database, path: string): FileUse | null {
  try {
    return fileUse(db, path)
  } catch {
    // The tables are missing or of another version.
    return null
  }
}
