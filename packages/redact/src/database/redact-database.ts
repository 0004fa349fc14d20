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
import type { Database } from '@svc/sqlite'
import type { Cells, Row } from './cells.ts'
import { databaseError, openSqlite, quoted } from './sqlite.ts'

interface Table {
  readonly name: string
  readonly sql: string
  readonly columns: readonly Column[]
}

interface Column {
  readonly name: string
}

export interface DatabaseSource {
  readonly path: string
  /** Folder for a copy of the database, made if reading would create files next to it. Without a folder the database is read in place. */
  readonly temporaryFolder?: undefined | string
}

export interface DatabaseWork extends DatabaseSource {
  readonly stop: AbortSignal
  /** Called now and then with the number of rows read since the last call. */
  readonly onRows: (rows: number) => void
}

const ROWS_BETWEEN_LOOKS = 500

/** First pass: goes through every cell. Throws RedactError. */
export function visitDatabase(
  { stop, onRows, ...source }: DatabaseWork,
  visit: (table: string, column: string, value: unknown, row: Row) => void,
): void {
  withSource(source, (db) => {
    for (const table of tablesOf(db)) {
      let count = 0
      for (const row of rowsOf(db, table)) {
        for (const { name } of table.columns) visit(table.name, name, row[name], row)
        count += 1
        if (count % ROWS_BETWEEN_LOOKS === 0) {
          stop.throwIfAborted()
          onRows(ROWS_BETWEEN_LOOKS)
        }
      }
    }
  })
}

/**
 * Creates a new database and inserts row by row, so that it cannot contain a free page or an overwritten cell of the original. Omits views and
 * triggers. A table gets a plain definition if its own contains a secret or its constraints refuse the pseudonyms. Throws RedactError.
 */
export function rewriteDatabase(
  { stop, onRows, ...from }: DatabaseWork,
  output: string,
  cells: Cells,
): void {
  withSource(from, (source) => {
    closeSync(openSync(output, 'wx', 0o600))
    const copy = openSqlite(output, { fileMustExist: true })
    try {
      copy.pragma('journal_mode = OFF')
      copy.pragma('synchronous = OFF')
      copy.pragma('foreign_keys = OFF')
      for (const pragma of ['user_version', 'application_id'] as const)
        copy.pragma(`${pragma} = ${Number(source.pragma(pragma, { simple: true }))}`)
      for (const table of tablesOf(source)) {
        if (
          !copyTable(source, copy, table, {
            cells,
            stop,
            onRows,
            isPlain: !isClean(table.sql, cells),
          })
        )
          copyTable(source, copy, table, { cells, stop, onRows, isPlain: true })
      }
      copyIndexes(source, copy, cells)
      copy.exec('VACUUM')
      if (copy.pragma('integrity_check', { simple: true }) !== 'ok')
        throw new Error('the copy is damaged')
    } finally {
      copy.close()
    }
  })
}

function withSource<Result>(
  { path, temporaryFolder }: DatabaseSource,
  work: (db: Database) => Result,
): Result {
  const copy =
    temporaryFolder !== undefined && needsCopy(path) ? privateCopy(path, temporaryFolder) : null
  try {
    const db = openSqlite(copy?.path ?? path, { readonly: true, fileMustExist: true })
    try {
      db.exec('BEGIN')
      return work(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error
    throw databaseError(error)
  } finally {
    if (copy !== null) rmSync(copy.folder, { recursive: true, force: true })
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
    const head = Buffer.alloc(WRITE_VERSION_OFFSET + 1)
    return (
      readSync(file, head, 0, head.length, 0) === head.length && head[WRITE_VERSION_OFFSET] === WAL
    )
  } finally {
    closeSync(file)
  }
}

/** Copies into a folder that only this user can enter. */
function privateCopy(
  path: string,
  temporaryFolder: string,
): { readonly folder: string; readonly path: string } {
  const folder = mkdtempSync(join(temporaryFolder, 'svc-quota-monitor-redact-'))
  try {
    const copy = join(folder, 'source.db')
    for (const ending of ['', '-wal', '-journal'])
      if (existsSync(`${path}${ending}`))
        copyFileSync(`${path}${ending}`, `${copy}${ending}`, constants.COPYFILE_FICLONE)
    return { folder, path: copy }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Tables with their own rows. A virtual table and its internal tables are omitted. */
function tablesOf(db: Database): readonly Table[] {
  const tables = db
    .prepare(
      `SELECT name, sql FROM sqlite_schema AS t WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'
       AND NOT EXISTS (SELECT 1 FROM sqlite_schema AS v WHERE v.sql LIKE 'CREATE VIRTUAL%' AND substr(t.name, 1, length(v.name) + 1) = v.name || '_')`,
    )
    .all() as { name: string; sql: string }[]
  return tables.map(({ name, sql }) => {
    // Hidden columns are computed from others.
    const columns = db
      .prepare('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0')
      .all(name) as Column[]
    return { name, sql, columns }
  })
}

function rowsOf(db: Database, { name, columns }: Table): IterableIterator<Row> {
  const list = columns.map((column) => quoted(column.name)).join(', ')
  return db
    .prepare(`SELECT ${list} FROM ${quoted(name)}`)
    .safeIntegers()
    .iterate() as IterableIterator<Row>
}

interface CopyOptions {
  readonly cells: Cells
  readonly stop: AbortSignal
  readonly onRows: (rows: number) => void
  /** True if the definition in the copy has only the column names. */
  readonly isPlain: boolean
}

/** Copies one table. False if its constraints refused a row. */
function copyTable(
  source: Database,
  copy: Database,
  table: Table,
  { cells, stop, onRows, isPlain }: CopyOptions,
): boolean {
  const name = isPlain ? nameOf(cells, table.name) : table.name
  const columns = uniqueNames(
    table.columns.map((column) => (isPlain ? nameOf(cells, column.name) : column.name)),
  )
  copy.exec('BEGIN')
  try {
    copy.exec(isPlain ? plainDefinition(name, columns) : table.sql)
    const insert = copy.prepare(
      `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    let count = 0
    for (const row of rowsOf(source, table)) {
      insert.run(
        ...table.columns.map((column) =>
          cells.replaced(table.name, column.name, row[column.name], row),
        ),
      )
      count += 1
      if (count % ROWS_BETWEEN_LOOKS === 0) {
        stop.throwIfAborted()
        onRows(ROWS_BETWEEN_LOOKS)
      }
    }
    copy.exec('COMMIT')
    return true
  } catch (error) {
    if (
      isPlain ||
      !(
        error instanceof Error &&
        'code' in error &&
        /^SQLITE_(?:CONSTRAINT|ERROR|MISMATCH)/.test(String(error.code))
      )
    )
      throw error
    dropTable(copy, name)
    return false
  }
}

/** Drops the table, because without a journal nothing can be rolled back. */
function dropTable(copy: Database, name: string): void {
  if (copy.inTransaction) copy.exec('COMMIT')
  copy.exec(`DROP TABLE IF EXISTS ${quoted(name)}`)
}

function plainDefinition(name: string, columns: readonly string[]): string {
  return `CREATE TABLE ${quoted(name)} (${columns.map(quoted).join(', ')})`
}

function nameOf(cells: Cells, name: string): string {
  return cells.text(name)
}

function uniqueNames(names: readonly string[]): readonly string[] {
  const seen = new Set<string>()
  return names.map((name, index) => {
    const unique = seen.has(name.toLowerCase()) ? `${name}_${index}` : name
    seen.add(unique.toLowerCase())
    return unique
  })
}

/** True for a definition without string literals, comments and anything to hide. */
function isClean(sql: string, cells: Cells): boolean {
  return !/'|--|\/\*|\bDEFAULT\s+"/i.test(sql) && cells.text(sql) === sql
}

/** Copies each index whose definition is clean, unless the copied table refuses it. */
function copyIndexes(source: Database, copy: Database, cells: Cells): void {
  const indexes = source
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    .pluck()
    .all() as string[]
  for (const sql of indexes) {
    if (!isClean(sql, cells)) continue
    try {
      copy.exec(sql)
    } catch {
      // Two values of a unique column may share a pseudonym, and a plain table may lack the column.
    }
  }
}
