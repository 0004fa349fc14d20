import { closeSync, openSync, statSync } from 'node:fs'
import type { Database } from '@svc/sqlite'
import { HistoryError } from '../contract/history-error.ts'
import { isWholeFile, openForReading } from './open-database.ts'
import { closedAfter } from './sqlite.ts'
import { historyErrorOf } from './sqlite-error.ts'

const WRITES_PER_LOOK = 100

/**
 * Checks that writes reach the file at the store's path, because SQLite would keep writing to a deleted, truncated or replaced file. `db` is the
 * writing connection. `look` and `written` throw HistoryError: replaced, corrupt.
 */
export function watchStoreFile(path: string, db: Database) {
  const seen = "SELECT value FROM meta WHERE name = 'seen'"
  const newest = 'SELECT at_ms, key FROM usage ORDER BY at_ms DESC, key DESC LIMIT 1'
  const ends = 'SELECT min(at_ms) FROM usage'
  const statementsIn = (of: Database) =>
    [seen, newest, ends].map((sql) => of.prepare(sql).safeIntegers().raw())
  const valuesOf = (statements: ReturnType<typeof statementsIn>) =>
    statements.map((statement) => String(statement.get())).join()
  const own = statementsIn(db)
  const file = openSync(path, 'r')
  let last = outsideOf(path)
  let writes = 0
  let due = false

  const lookInside = () => {
    if (!isWholeFile(file, `${path}-wal`)) throw new HistoryError('corrupt')
    const theirs = closedAfter(openForReading(path), (other) => valuesOf(statementsIn(other)))
    if (valuesOf(own) !== theirs) throw new HistoryError('replaced')
  }

  /** Checks the file. Without a free descriptor, or while the file is busy, the next write checks again. */
  const tryToLookInside = () => {
    try {
      lookInside()
      due = false
    } catch (error) {
      const failure = historyErrorOf(error)
      if (failure.code !== 'cannot_open' && failure.code !== 'busy') throw failure
    }
  }

  return {
    /** Call before a write. Opens the file for a check if its size or links have changed; throws if it is another file. */
    look() {
      const now = outsideOf(path)
      if (now.file !== last.file || (last.wal !== null && now.wal !== last.wal))
        throw new HistoryError('replaced')
      due ||= now.shape !== last.shape
      last = now
      if (due) tryToLookInside()
    },
    /** Call after a write. Opens the file for a check after every `WRITES_PER_LOOK` writes, even without a change. */
    written() {
      writes += 1
      if (writes % WRITES_PER_LOOK === 0) tryToLookInside()
    },
    /** Closes the file, which releases all locks of the process. Call after closing the writing connection. */
    close: () => closeSync(file),
  }
}

function outsideOf(path: string) {
  const stats = statSync(path, { throwIfNoEntry: false })
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })
  return {
    file: stats === undefined ? '' : `${stats.dev} ${stats.ino}`,
    shape: `${stats?.size} ${stats?.nlink}`,
    wal: wal === undefined ? null : `${wal.dev} ${wal.ino}`,
  }
}
