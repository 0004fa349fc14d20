import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'
import { errorCodeOf, RedactError } from '../redact-error.ts'

export type Database = Sqlite.Database

/** The native module, where it was built. Throws RedactError. */
export function openSqlite(path: string, options: Sqlite.Options): Database {
  let Module: typeof Sqlite
  try {
    Module = createRequire(import.meta.url)('better-sqlite3') as typeof Sqlite
  } catch {
    throw new RedactError('is a database, and the SQLite module (better-sqlite3) is not installed')
  }
  try {
    const db = new Module(path, options)
    db.pragma('trusted_schema = OFF')
    return db
  } catch (error) {
    throw databaseError(error)
  }
}

/** SQLite's own text is dropped: it may quote a value. */
export function databaseError(error: unknown): RedactError {
  if (error instanceof RedactError) return error
  return new RedactError(`is a database that cannot be read (${errorCodeOf(error)})`)
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
