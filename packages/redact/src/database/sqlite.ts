import { type Database, openSqlite as open, usedDriver } from '@svc/sqlite'
import { errorCodeOf, RedactError } from '../redact-error.ts'

/** A database whose schema may not call functions. Throws RedactError. */
export function openSqlite(...[path, options]: Parameters<typeof open>): Database {
  if (usedDriver().name === null)
    throw new RedactError('is a database, and the SQLite module (better-sqlite3) is not installed')
  try {
    const db = open(path, options)
    db.pragma('trusted_schema = OFF')
    return db
  } catch (error) {
    throw databaseError(error)
  }
}

/** The error of a database without SQLite's own text, which may quote a value. */
export function databaseError(error: unknown): RedactError {
  if (error instanceof RedactError) return error
  return new RedactError(`is a database that cannot be read (${errorCodeOf(error)})`)
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
