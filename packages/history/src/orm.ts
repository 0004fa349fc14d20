import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import type { Database } from './sqlite.ts'

/**
 * The query builder over an open database. Put together by hand, because `drizzle()` loads the native module as soon as it is imported, and where that
 * could not be built the rest of this package must still say so.
 */
export function ormOf(db: Database) {
  const dialect = new SQLiteSyncDialect()
  return new BaseSQLiteDatabase(
    'sync',
    dialect,
    new BetterSQLiteSession(db, dialect, undefined),
    undefined,
  )
}
