import type Sqlite from 'better-sqlite3'

/** An open database of either driver. A failure is thrown with a `code` such as `SQLITE_BUSY`. */
export type Database = Pick<Sqlite.Database, 'prepare' | 'pragma' | 'inTransaction'> & {
  exec(sql: string): unknown
  function(name: string, ...definition: unknown[]): unknown
  close(): unknown
}
/** A prepared statement with the interface of better-sqlite3. */
export type Statement = Sqlite.Statement<unknown[]>
type Options = Pick<Sqlite.Options, 'readonly' | 'fileMustExist' | 'timeout'>
/** Opens a database. Throws the errors of SQLite. */
export type Open = (path: string, options?: Options) => Database

/** Runs `work` in one transaction that takes the write lock at once. Inside another transaction it is a savepoint, which is rolled back alone. */
export function inTransaction<Result>(db: Database, work: () => Result): Result {
  const [begin, end, undo] = db.inTransaction
    ? ['SAVEPOINT part', 'RELEASE part', 'ROLLBACK TO part; RELEASE part']
    : ['BEGIN IMMEDIATE', 'COMMIT', 'ROLLBACK']
  db.exec(begin)
  try {
    const result = work()
    db.exec(end)
    return result
  } catch (error) {
    // SQLite may already have rolled back.
    if (db.inTransaction) db.exec(undo)
    throw error
  }
}
