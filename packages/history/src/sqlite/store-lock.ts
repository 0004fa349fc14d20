import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { HistoryError, notAFile } from '../contract/history-error.ts'
import { closedAfter, openFile } from './sqlite.ts'
import { historyErrorOf } from './sqlite-error.ts'

/** A store locked against writes of other processes. */
export interface LockedStore {
  /** Real path of the file, with links resolved. */
  readonly path: string
  release(): void
}

/**
 * Locks a store against every other writing process by an exclusive transaction on `<file>.lock`. The system ends it with the process, even after a
 * crash. Throws HistoryError: locked, several_names, cannot_open, read_only.
 */
export function lockStore(name: string): LockedStore {
  try {
    const path = lockablePath(name)
    const lockPath = lockPathOf(path)
    closeSync(openSync(lockPath, 'a', 0o600))
    const db = openFile(lockPath, { timeout: 0 })
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

/** Real path of a store that may be locked. Throws HistoryError: several_names, cannot_open, read_only; and errors of node:fs. */
export function lockablePath(name: string): string {
  const path = realPathOf(name)
  const stats = statSync(path, { throwIfNoEntry: false })
  // Opening a pipe or a device would hang.
  if (stats !== undefined && !stats.isFile()) throw notAFile()
  // SQLite would keep one log per name, and two logs would destroy the file.
  if (stats !== undefined && stats.nlink > 1) throw new HistoryError('several_names')
  const lock = statSync(lockPathOf(path), { throwIfNoEntry: false })
  if (lock?.isFile() === false) throw new HistoryError('cannot_open')
  if (lock !== undefined) accessSync(lockPathOf(path), constants.W_OK)
  return path
}

/** Whether a process holds the store. Tries only a read lock and writes nothing. Throws HistoryError. */
export function isStoreLocked(name: string): boolean {
  try {
    // A dangling link has no store, so nobody holds it.
    if (!existsSync(name)) return false
    const lockPath = lockPathOf(realPathOf(name))
    if (!existsSync(lockPath)) return false
    closedAfter(openFile(lockPath, { readonly: true, timeout: 0 }), (db) =>
      db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
    )
    return false
  } catch (error) {
    const failure = historyErrorOf(error)
    if (failure.code === 'busy') return true
    throw failure
  }
}

const lockPathOf = (path: string): string => `${path}.lock`

/** Real path of a name; for a missing file, its name in the real path of its folder. */
function realPathOf(name: string): string {
  if (lstatSync(name, { throwIfNoEntry: false }) !== undefined) return realpathSync(name)
  return join(realpathSync(dirname(name)), basename(name))
}
