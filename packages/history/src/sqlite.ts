import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'
import { HistoryError } from './history-error.ts'

export type Database = Sqlite.Database
export type Statement = Sqlite.Statement<unknown[]>

/** Older ones can damage a file in WAL mode. Source: reliability, first facts. */
const SQLITE_MIN = [3, 51, 3] as const

let loaded: typeof Sqlite | null = null

/** The native module, loaded when it is first needed: where it could not be built everything else still works. Throws HistoryError: module_missing. */
export function loadSqlite(): typeof Sqlite {
  if (loaded !== null) return loaded
  try {
    const module = createRequire(import.meta.url)('better-sqlite3') as typeof Sqlite
    // The binding itself is loaded by the first database.
    new module(':memory:').close()
    loaded = module
    return module
  } catch {
    throw new HistoryError('module_missing')
  }
}

/** Version of the SQLite library, as in `3.53.2`. Throws HistoryError: module_missing. */
export function sqliteVersion(): string {
  const db = new (loadSqlite())(':memory:')
  try {
    return String(db.prepare('SELECT sqlite_version()').pluck().get())
  } finally {
    db.close()
  }
}

/** True when a WAL file is safe with this version of SQLite. */
export function isSafeSqlite(version: string): boolean {
  const parts = version.split('.').map(Number)
  for (const [index, min] of SQLITE_MIN.entries()) {
    const part = parts[index] ?? 0
    if (part !== min) return part > min
  }
  return true
}

/** Runs `work` in one transaction that takes the write lock at once: a read that turns into a write cannot wait for it. */
export function inTransaction<Result>(db: Database, work: () => Result): Result {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}
