import { pathToFileURL } from 'node:url'
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

/** The used part of `node:sqlite`, which the types of Node 20 lack. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string | URL, options: object) => NodeDatabase
  readonly StatementSync: { readonly prototype: object }
}
type NodeDatabase = Pick<Database, 'exec' | 'function' | 'close'> &
  Readonly<Record<'isOpen' | 'isTransaction', boolean>> & { prepare(sql: string): NodeStatement }
type NodeStatement = Pick<Statement, 'run' | 'get' | 'all' | 'iterate'> &
  Record<'setReturnArrays' | 'setReadBigInts', (isOn: boolean) => void>

/** Page cache of a connection, the same size as in better-sqlite3. */
const CACHE_KIB = 16_000

/** Opens databases with Node's own SQLite; null if this Node has none, or one that lacks a needed function. */
export function nodeOpener(): Open | null {
  const { emitWarning } = process
  // Suppresses Node 22's warning on standard error that it is experimental.
  process.emitWarning = () => undefined
  try {
    const own = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined
    if (own === undefined || !('setReturnArrays' in own.StatementSync.prototype)) return null
    return (path, options) => openWithNode(own, path, options)
  } finally {
    process.emitWarning = emitWarning
  }
}

/** Opens a database of `node:sqlite` with the methods of better-sqlite3 that are used here. */
function openWithNode({ DatabaseSync }: NodeSqlite, ...[path, options = {}]: Parameters<Open>) {
  const { readonly = false, fileMustExist = false, timeout = 5_000 } = options
  const place = fileMustExist && !readonly ? pathToFileURL(path) : path
  // Only a URL can forbid creating the file.
  if (place instanceof URL) place.search = 'mode=rw'
  const db = withCode(() => new DatabaseSync(place, { readOnly: readonly, timeout }))()
  try {
    withCode(() => db.exec(`PRAGMA cache_size = -${CACHE_KIB}`))()
  } catch (error) {
    db.close()
    throw error
  }
  const prepare = withCode((sql: string) => statementOf(db.prepare(sql)))
  return {
    prepare,
    pragma(sql: string, { simple = false } = {}) {
      const statement = prepare(`PRAGMA ${sql}`)
      return simple ? statement.pluck().get() : statement.all()
    },
    exec: withCode((sql: string) => db.exec(sql)),
    function: db.function.bind(db),
    close: withCode(() => (db.isOpen ? db.close() : undefined)),
    get inTransaction() {
      return db.isOpen && db.isTransaction
    },
  } as Database
}

function statementOf(statement: NodeStatement) {
  let shown = (row: unknown): unknown => row
  return {
    run: withCode((...values: unknown[]) => statement.run(...values)),
    get: withCode((...values: unknown[]) => shown(statement.get(...values))),
    all: withCode((...values: unknown[]) => statement.all(...values).map(shown)),
    *iterate(...values: unknown[]) {
      try {
        for (const row of statement.iterate(...values)) yield shown(row)
      } catch (error) {
        throw codedError(error)
      }
    },
    raw() {
      statement.setReturnArrays(true)
      return this
    },
    pluck() {
      shown = (row) => (row as readonly unknown[] | undefined)?.[0]
      return this.raw()
    },
    safeIntegers() {
      statement.setReadBigInts(true)
      return this
    },
  }
}

/** Wraps a function so that its errors have a code like those of better-sqlite3. */
function withCode<Values extends unknown[], Result>(work: (...values: Values) => Result) {
  return (...values: Values): Result => {
    try {
      return work(...values)
    } catch (error) {
      throw codedError(error)
    }
  }
}

/** Names of SQLite's result codes, in the order of their numbers. */
const RESULT_CODES =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'

/** SQLITE_IOERR_SHMSIZE, the only extended code that means another failure than its primary code: a full disk. */
const SHM_SIZE = 4874

/** Gives an error SQLite's own code. Node gives all failures of SQLite the same code and puts the number beside it. */
function codedError(error: unknown): unknown {
  if (!(error instanceof Error && 'errcode' in error)) return error
  const name = RESULT_CODES.split(' ')[Number(error.errcode) & 0xff]
  const code = `SQLITE_${name}${error.errcode === SHM_SIZE ? '_SHMSIZE' : ''}`
  return Object.assign(error, { code })
}
