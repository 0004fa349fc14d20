import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { type Database, inTransaction, isSafeSqlite } from '@svc/sqlite'
import { HistoryError, notAFile } from '../contract/history-error.ts'
import type { OpenOptions } from '../contract/history-store.ts'
import { fileSystemOf } from './file-system.ts'
import { migrations as knownMigrations } from './migrations/migrations.ts'
import { closedAfter, openFile, sqliteVersion } from './sqlite.ts'
import { asHistoryError } from './sqlite-error.ts'

/** Length of the header, which states the page size and the number of pages. Source: SQLite's file format 1.3. */
const HEADER_BYTES = 100
const MAGIC = 'SQLite format 3\0'

/**
 * Whether a database file is whole, see `isWholeFile`. Not for a database open in this process: closing the file here would release every lock of the
 * process, and the next program that opens the database would delete the WAL file.
 */
export function isWhole(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    return isWholeFile(file)
  } finally {
    closeSync(file)
  }
}

/**
 * False if an open file has fewer pages than its header states, or no valid header. Pages in `log` count as present, because the log cannot be moved
 * into the file completely right after a crash or while a reader uses an older version of a page.
 */
export function isWholeFile(file: number, log: string | null = null): boolean {
  const header = Buffer.alloc(HEADER_BYTES)
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return false
  const size = header.readUInt16BE(16)
  // The largest size does not fit into its field and is stored as 1.
  const pageBytes = size === 1 ? 65_536 : size
  const [held, said] = [Math.floor(fstatSync(file).size / pageBytes), header.readUInt32BE(28)]
  return held >= said || (log !== null && isInLog(log, pageBytes, { after: held, to: said }))
}

/**
 * Layout of the log: its header contains the salts; each frame contains the number of its page and the salts again. Source: SQLite's file format 4.1.
 */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALTS_AT = 16
const FRAME_SALTS_AT = 8
const SALT_BYTES = 8

function isInLog(
  path: string,
  pageBytes: number,
  { after, to }: { readonly after: number; readonly to: number },
): boolean {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false
  // SQLite keeps its locks elsewhere, so this file may be closed.
  const log = openSync(path, 'r')
  try {
    const header = Buffer.alloc(LOG_HEADER_BYTES)
    if (readSync(log, header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return false
    const salts = header.subarray(SALTS_AT, SALTS_AT + SALT_BYTES)
    const frame = Buffer.alloc(FRAME_HEADER_BYTES)
    const found = new Set<number>()
    for (let at = LOG_HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageBytes) {
      if (readSync(log, frame, 0, FRAME_HEADER_BYTES, at) < FRAME_HEADER_BYTES) break
      if (!frame.subarray(FRAME_SALTS_AT, FRAME_SALTS_AT + SALT_BYTES).equals(salts)) break
      const page = frame.readUInt32BE(0)
      if (page > after && page <= to) found.add(page)
    }
    return found.size === to - after
  } finally {
    closeSync(log)
  }
}

/** Application id "SQMH", which marks a file as ours, so that no other database is taken for a store. */
const APPLICATION_ID = 0x53514d48
/** Longest wait of a statement for another program's lock. */
const BUSY_MS = 5_000
/** Longest wait for a lock when only testing whether the file can be written. */
const TRY_MS = 500
/** Size to which the WAL file is truncated when possible. See docs/limits.md#history-store. */
export const WAL_BYTES_MAX = 64 * 1024 * 1024

/**
 * Opens the store for writing: creates it with mode 0600 if missing and updates its schema. A file with any defect is left unchanged. Throws
 * HistoryError.
 */
export function openForWriting(
  path: string,
  { laterMigrations = [], thorough = false, onUpdate }: OpenOptions = {},
): Database {
  const migrations = [...knownMigrations, ...laterMigrations]
  return asHistoryError(() => {
    if (!isSafeSqlite(sqliteVersion())) throw new HistoryError('sqlite_too_old')
    if (fileSystemOf(path).kind === 'network') throw new HistoryError('network_file_system')
    // SQLite gives its side files the mode of the database.
    closeSync(openSync(path, 'a', 0o600))
    const isSuspect = thorough || (statSync(path).size > 0 && !isWhole(path))
    return openChecked(path, { readonly: false }, (db) => {
      if (isSuspect && db.pragma('quick_check(1)', { simple: true }) !== 'ok')
        throw new HistoryError('corrupt')
      const version = prepare(db, path, migrations)
      if (version > 0 && version < migrations.length) onUpdate?.(version, migrations.length)
    })
  })
}

/** Opens an existing file; closes it again if `check` throws. */
function openChecked(
  path: string,
  mode: { readonly readonly: boolean },
  check: (db: Database) => void,
): Database {
  const db = openFile(path, { ...mode, timeout: BUSY_MS, fileMustExist: true })
  try {
    check(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Updates the schema and returns the previous version, 0 for a new store. */
function prepare(db: Database, path: string, migrations: readonly string[]): number {
  const isNew = statSync(path).size === 0
  if (isNew) db.pragma('auto_vacuum = INCREMENTAL')
  const version = isNew ? 0 : checkedVersion(db, migrations.length)
  db.pragma('journal_mode = WAL')
  // The module's default for WAL files, NORMAL, loses commits at a power failure.
  db.pragma('synchronous = FULL')
  if (
    db.pragma('synchronous', { simple: true }) !== 2 ||
    db.pragma('journal_mode', { simple: true }) !== 'wal'
  ) {
    throw new HistoryError('cannot_open', 'the history store cannot be opened in a safe mode')
  }
  db.pragma(`journal_size_limit = ${WAL_BYTES_MAX}`)
  db.pragma('foreign_keys = ON')
  if (version === migrations.length) return version
  if (version > 0) copyBeforeMigration(db, path, version)
  const migrate = () => {
    for (const [index, step] of migrations.entries()) {
      if (index < version) continue
      inTransaction(db, () => {
        if (index === 0) db.pragma(`application_id = ${APPLICATION_ID}`)
        db.exec(step)
        db.pragma(`user_version = ${index + 1}`)
      })
    }
  }
  // A new store gets the whole schema or none; one with rows is updated in steps, so that its WAL file stays small.
  if (version === 0) inTransaction(db, migrate)
  else migrate()
  return version
}

/** Schema version of an existing store. Throws HistoryError: not_ours, newer_version, not_a_database, corrupt. */
function checkedVersion(db: Database, newest: number): number {
  const version = Number(db.pragma('user_version', { simple: true }))
  const tables = Number(
    db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get(),
  )
  // A store whose first step was interrupted is an empty database.
  if (tables === 0 && version === 0) return 0
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw new HistoryError('not_ours')
  if (version > newest) throw new HistoryError('newer_version')
  return version
}

/** Copies the store before a migration. Throws HistoryError, disk_full, without changing anything. */
function copyBeforeMigration(db: Database, path: string, version: number): void {
  const target = copyOf(path, version)
  if (existsSync(target)) return
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize < 2 * statSync(path).size) {
    throw new HistoryError(
      'disk_full',
      'there is no space for the copy that is made before the history store is brought up to date',
    )
  }
  const unfinished = `${target}.unfinished`
  rmSync(unfinished, { force: true })
  closeSync(openSync(unfinished, 'a', 0o600))
  db.prepare('VACUUM INTO ?').run(unfinished)
  renameSync(unfinished, target)
}

function copyOf(path: string, version: number): string {
  return `${path}.before-${version + 1}`
}

/** Newest copy from before an update that this program can open; null if there is none. */
export function copyBeforeUpdate(path: string): string | null {
  const real = realpathSync(path)
  for (let version = NEWEST_VERSION; version > 0; version -= 1)
    if (existsSync(copyOf(real, version))) return copyOf(real, version)
  return null
}

/** Newest schema known to this program. */
export const NEWEST_VERSION = knownMigrations.length

/** Takes the write lock and releases it without writing. Throws HistoryError: busy, read_only. */
export function tryToWrite(path: string): void {
  asHistoryError(() =>
    closedAfter(openFile(path, { timeout: TRY_MS, fileMustExist: true }), (db) =>
      inTransaction(db, () => undefined),
    ),
  )
}

/** Opens a store for reading only. Throws HistoryError; `newer_version` only if `newestVersion` is given. */
export function openForReading(path: string, newestVersion = Number.POSITIVE_INFINITY): Database {
  return asHistoryError(() => {
    const stats = statSync(path, { throwIfNoEntry: false })
    // If the folder is missing too, SQLite fails without a code.
    if (stats === undefined)
      throw new HistoryError('cannot_open', 'there is no history store at the path that was given')
    // Opening a pipe or a device would hang.
    if (!stats.isFile()) throw notAFile()
    return openChecked(path, { readonly: true }, (db) => {
      db.pragma('query_only = ON')
      checkedVersion(db, newestVersion)
    })
  })
}
