import { closeSync, existsSync, lstatSync, openSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { HistoryError, historyErrorOf, notAFile } from '../contract/history-error.ts'
import { loadSqlite } from './sqlite.ts'

/** A store that no other process may write. */
export interface LockedStore {
  /** The file itself, whatever name it was asked for by. */
  readonly path: string
  release(): void
}

/**
 * Keeps every other process from writing the same store: an exclusive transaction on `<file>.lock`, which the system ends with the process, however it
 * dies. Throws HistoryError: locked, several_names, cannot_open, read_only.
 */
export function lockStore(name: string): LockedStore {
  try {
    const path = realPathOf(name)
    const stats = statSync(path, { throwIfNoEntry: false })
    // A pipe or a device would be waited for.
    if (stats !== undefined && !stats.isFile()) throw notAFile()
    // Under each name SQLite would keep a log of its own, and the file would not survive two of them.
    if (stats !== undefined && stats.nlink > 1) throw new HistoryError('several_names')
    const lockPath = lockPathOf(path)
    if (statSync(lockPath, { throwIfNoEntry: false })?.isFile() === false)
      throw new HistoryError('cannot_open')
    closeSync(openSync(lockPath, 'a', 0o600))
    const db = new (loadSqlite())(lockPath, { timeout: 0 })
    try {
      db.pragma('journal_mode = MEMORY')
      db.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      db.close()
      throw error
    }
    return { path, release: () => void db.close() }
  } catch (error) {
    const failure = historyErrorOf(error)
    throw failure.code === 'busy' ? new HistoryError('locked') : failure
  }
}

/** Whether some process holds the store; it is asked for a reading lock alone, and nothing is written. Throws HistoryError. */
export function isStoreLocked(name: string): boolean {
  try {
    // A link into nothing has no store, and so nobody who holds it.
    if (!existsSync(name)) return false
    const lockPath = lockPathOf(realPathOf(name))
    if (!existsSync(lockPath)) return false
    const db = new (loadSqlite())(lockPath, { readonly: true, timeout: 0 })
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
      return false
    } finally {
      db.close()
    }
  } catch (error) {
    const failure = historyErrorOf(error)
    if (failure.code === 'busy') return true
    throw failure
  }
}

const lockPathOf = (path: string): string => `${path}.lock`

/** Where a name leads; a file that is not there yet stands in the folder its name leads to. */
function realPathOf(name: string): string {
  if (lstatSync(name, { throwIfNoEntry: false }) !== undefined) return realpathSync(name)
  return join(realpathSync(dirname(name)), basename(name))
}
