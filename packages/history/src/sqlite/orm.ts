import type { Database, Statement } from '@svc/sqlite'
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session'
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'

/**
 * The query builder over an open database of either driver, put together from the parts of `drizzle()`. The function itself is not used, because its module imports
 * `better-sqlite3`: where that is not installed this package must still load, to say so. Behind a dynamic import `drizzle()` makes the program's
 * code for the store 3 % larger and opening a store take 67 ms of processor time instead of 50 (medians of nine starts, Node 20). A test compares the two.
 */
export function ormOf(db: Database): BaseSQLiteDatabase<'sync', ReturnType<Statement['run']>> {
  const dialect = new SQLiteSyncDialect()
  return new BaseSQLiteDatabase(
    'sync',
    dialect,
    new BetterSQLiteSession(
      db as ConstructorParameters<typeof BetterSQLiteSession>[0],
      dialect,
      undefined,
    ),
    undefined,
  )
}
