import { closeSync, openSync } from 'node:fs'
import { HistoryError, historyErrorOf } from './history-error.ts'
import { loadSqlite } from './sqlite.ts'

/**
 * Keeps every other process from writing the same store: an exclusive transaction on `<path>.lock`, which the system ends with the process,
 * however it dies. Throws HistoryError: locked, cannot_open, read_only.
 */
export function lockStore(path: string): { release(): void } {
  const lockPath = `${path}.lock`
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
