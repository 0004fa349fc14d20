import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'
import { HistoryError } from '../contract/history-error.ts'

export type Database = Sqlite.Database
export type Statement = Sqlite.Statement<unknown[]>

/** Older ones can damage a file in WAL mode. See docs/limits.md#history-store. */
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
  } catch (error) {
    throw loadFailure(error)
  }
}

const MODULE = 'the SQLite module (better-sqlite3)'
const NEEDS =
  'Where npm can fetch no ready-made binary it compiles, with python3, make, g++ and the headers of Node.'
/** Works with every npm: the first flag is for 11.19 and later, the second shows the compiler. */
const FLAGS = '--global --allow-scripts=better-sqlite3 --foreground-scripts'
const BUILD_IT = `Run npm rebuild ${FLAGS} better-sqlite3. ${NEEDS}`
const INSTALL_IT = `Install svc-quota-monitor again with npm install ${FLAGS}, and without --omit=optional. ${NEEDS}`

function loadFailure(error: unknown): HistoryError {
  const because = (why: string, remedy = BUILD_IT) =>
    new HistoryError('module_missing', `${MODULE} ${why}`, remedy)
  if (!(error instanceof Error)) return because('cannot be loaded')
  // What looks for the compiled library lists where it has looked.
  if ('tries' in error)
    return because('is installed but not compiled: its install script was not run, or has failed')
  if ('code' in error && error.code === 'MODULE_NOT_FOUND')
    return because('is not installed', INSTALL_IT)
  return error.message.includes('NODE_MODULE_VERSION')
    ? because(`was compiled for another version of Node than this one, ${process.versions.node}`)
    : because('was compiled for another kind of machine or system than this one')
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
  return db.transaction(work).immediate()
}
