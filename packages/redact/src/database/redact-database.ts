import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf } from '@svc/core/service'
import { type Database, openSqlite, usedDriver } from '@svc/sqlite'
import type { Reading } from '../files/input.ts'
import { RedactError } from '../redact-error.ts'
import type { Cells, Row } from './cells.ts'

/** A database that is read. */
export interface DatabaseReading extends Reading {
  /** Folder for a copy of the database, made if reading would create files next to it. Without a folder the database is read in place. */
  readonly temporaryFolder?: undefined | string
}

interface Table {
  readonly name: string
  readonly sql: string
  readonly columns: readonly string[]
}

/** First pass: goes through every cell. Throws RedactError. */
export function visitDatabase(
  reading: DatabaseReading,
  visit: (table: string, column: string, value: unknown, row: Row) => void,
): void {
  withSource(reading, (db) => {
    for (const table of tablesOf(db))
      for (const row of rowsOf(db, table, reading))
        for (const column of table.columns) visit(table.name, column, row[column], row)
  })
}

/**
 * Creates a new database and inserts row by row, so that it cannot contain a free page or an overwritten cell of the original. Omits views and
 * triggers. A table gets a plain definition if its own contains a secret or its constraints refuse the pseudonyms. Throws RedactError.
 */
export function rewriteDatabase(reading: DatabaseReading, output: string, cells: Cells): void {
  withSource(reading, (source) => {
    closeSync(openSync(output, 'wx', 0o600))
    const copy = openUntrusted(output, { fileMustExist: true })
    try {
      copy.pragma('journal_mode = OFF')
      copy.pragma('synchronous = OFF')
      copy.pragma('foreign_keys = OFF')
      for (const pragma of ['user_version', 'application_id'])
        copy.pragma(`${pragma} = ${Number(source.pragma(pragma, { simple: true }))}`)
      for (const table of tablesOf(source))
        copyTable(copy, table, cells, () => rowsOf(source, table, reading))
      copyIndexes(source, copy, cells)
      copy.exec('VACUUM')
      if (copy.pragma('integrity_check', { simple: true }) !== 'ok')
        throw new Error('the copy is damaged')
    } finally {
      copy.close()
    }
  })
}

/** A database whose schema may not call functions. Throws RedactError where no SQLite is installed, else the errors of SQLite. */
export function openUntrusted(...[path, options]: Parameters<typeof openSqlite>): Database {
  if (usedDriver().name === null)
    throw new RedactError('is a database, and the SQLite module (better-sqlite3) is not installed')
  const db = openSqlite(path, options)
  db.pragma('trusted_schema = OFF')
  return db
}

function withSource({ path, temporaryFolder }: DatabaseReading, work: (db: Database) => void) {
  const folder =
    temporaryFolder !== undefined && needsCopy(path)
      ? mkdtempSync(join(temporaryFolder, 'svc-quota-monitor-redact-'))
      : null
  try {
    const source = folder === null ? path : copiedInto(folder, path)
    const db = openUntrusted(source, { readonly: true, fileMustExist: true })
    try {
      db.exec('BEGIN')
      work(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof RedactError || (error instanceof Error && error.name === 'AbortError'))
      throw error
    // SQLite's own text may quote a value.
    throw new RedactError(`is a database that cannot be read (${errorCodeOf(error)})`)
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true })
  }
}

const WRITE_VERSION_OFFSET = 18
const WAL = 2

/**
 * Whether the database must be copied before reading. Reading one with a write-ahead log creates two files next to it, and fails in a read-only
 * folder. If both exist, because a process has it open or crashed, reading creates nothing new.
 */
function needsCopy(path: string): boolean {
  if (existsSync(`${path}-journal`)) return true
  if (existsSync(`${path}-wal`) && existsSync(`${path}-shm`)) return false
  const file = openSync(path, 'r')
  try {
    const version = Buffer.alloc(1)
    readSync(file, version, 0, 1, WRITE_VERSION_OFFSET)
    return version[0] === WAL
  } finally {
    closeSync(file)
  }
}

function copiedInto(folder: string, path: string): string {
  const copy = join(folder, 'source.db')
  for (const ending of ['', '-wal', '-journal'])
    if (existsSync(`${path}${ending}`))
      copyFileSync(`${path}${ending}`, `${copy}${ending}`, constants.COPYFILE_FICLONE)
  return copy
}

/** Tables with their own rows. A virtual table and its internal tables are omitted. */
function tablesOf(db: Database): readonly Table[] {
  const tables = db
    .prepare(
      `SELECT name, sql FROM sqlite_schema AS t WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'
       AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS v WHERE v.sql LIKE 'CREATE VIRTUAL%' AND substr(t.name, 1, length(v.name) + 1) = v.name || '_')`,
    )
    .all() as { name: string; sql: string }[]
  // Hidden columns are computed from others.
  const columns = db.prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0').pluck()
  return tables.map((table) => ({ ...table, columns: columns.all(table.name) as string[] }))
}

const ROWS_BETWEEN_LOOKS = 500

function* rowsOf(db: Database, table: Table, { stop, onRead }: Reading): Generator<Row> {
  const list = table.columns.map(quoted).join(', ')
  const rows = db
    .prepare(`SELECT ${list} FROM ${quoted(table.name)}`)
    .safeIntegers()
    .iterate()
  let count = 0
  for (const row of rows as IterableIterator<Row>) {
    yield row
    count += 1
    if (count % ROWS_BETWEEN_LOOKS !== 0) continue
    stop.throwIfAborted()
    onRead(0)
  }
}

/** Copies a table with its definition, or with a plain one if its own is not clean or refuses the pseudonyms. */
function copyTable(copy: Database, table: Table, cells: Cells, rows: () => Iterable<Row>): void {
  const fill = ({ name, sql, columns }: Table) => {
    copy.exec('BEGIN')
    copy.exec(sql)
    const insert = copy.prepare(
      `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    for (const row of rows())
      insert.run(
        ...table.columns.map((column) => cells.replaced(table.name, column, row[column], row)),
      )
    copy.exec('COMMIT')
  }
  const isKept = isClean(table.sql, cells)
  try {
    fill(isKept ? table : plainTable(table, cells))
  } catch (error) {
    if (!isKept || !/^SQLITE_(?:CONSTRAINT|ERROR|MISMATCH)/.test(errorCodeOf(error))) throw error
    // Without a journal nothing can be rolled back.
    if (copy.inTransaction) copy.exec('COMMIT')
    copy.exec(`DROP TABLE IF EXISTS ${quoted(table.name)}`)
    fill(plainTable(table, cells))
  }
}

/** The table with nothing but the names of its columns. */
function plainTable(table: Table, cells: Cells): Table {
  const name = cells.redacted(table.name)
  const seen = new Set<string>()
  const columns = table.columns.map((column, index) => {
    const text = cells.redacted(column)
    const unique = seen.has(text.toLowerCase()) ? `${text}_${index}` : text
    seen.add(unique.toLowerCase())
    return unique
  })
  return { name, columns, sql: `CREATE TABLE ${quoted(name)} (${columns.map(quoted).join(', ')})` }
}

/** True for a definition without string literals, comments and anything to hide. */
function isClean(sql: string, cells: Cells): boolean {
  return !/'|--|\/\*|\bDEFAULT\s+"/i.test(sql) && cells.redacted(sql) === sql
}

/** Copies each index whose definition is clean, unless the copied table refuses it. */
function copyIndexes(source: Database, copy: Database, cells: Cells): void {
  const indexes = source
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .pluck()
    .all() as string[]
  for (const sql of indexes.filter((definition) => isClean(definition, cells)))
    try {
      copy.exec(sql)
    } catch {
      // Two values of a unique column may share a pseudonym, and a plain table may lack the column.
    }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
