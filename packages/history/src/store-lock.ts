import { closeSync, existsSync, openSync } from 'node:fs'
import { HistoryError, historyErrorOf } from './history-error.ts'
import { loadSqlite } from './sqlite.ts'

/**
 * Keeps every other process from writing the same store: an exclusive transaction on `<path>.lock`, which the system ends with the process,
 * however it dies. Throws HistoryError: locked, cannot_open, read_only.
 */
export function lockStore(path: string): { release(): void } {
  const lockPath = lockPathOf(path)
  try {
    closeSync(openSync(lockPath, 'a', 0o600))
    const db = new (loadSqlite())(lockPath, { timeout: 0 })
    try {
      db.pragma('journal_mode = MEMORY')
      db.exec('BEGIN EXCLUSIVE')
    } catch (error) {
      db.close()
      throw error
    }
    return { release: () => void db.close() }
  } catch (error) {
    const failure = historyErrorOf(error)
    throw failure.code === 'busy' ? new HistoryError('locked') : failure
  }
}

const lockPathOf = (path: string): string => `${path}.lock`

/** Whether some process holds the store; it is asked for a reading lock alone, and nothing is written. Throws HistoryError. */
export function isStoreLocked(path: string): boolean {
  const lockPath = lockPathOf(path)
  if (!existsSync(lockPath)) return false
  try {
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
