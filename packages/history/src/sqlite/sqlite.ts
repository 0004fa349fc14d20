import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type Database, type Obstacle, openSqlite, usedDriver } from '@svc/sqlite'
import { HistoryError } from '../contract/history-error.ts'
import { sqliteRemedy } from './sqlite-remedy.ts'

/** Opens a database. Throws SQLite's errors, and HistoryError: module_missing. */
export function openFile(...[path, options]: Parameters<typeof openSqlite>): Database {
  const { name, obstacle } = usedDriver()
  if (name === null && obstacle !== null) throw missing(obstacle)
  return openSqlite(path, options)
}

const MODULE = 'the SQLite module (better-sqlite3)'

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  not_installed: 'is not installed',
  not_compiled: 'is installed but not compiled: its install script was not run, or has failed',
  other_node: `was compiled for another version of Node than this one, ${process.versions.node}`,
  other_system: 'was compiled for another kind of machine or system than this one',
}

function missing(obstacle: Obstacle): HistoryError {
  const remedy = sqliteRemedy(obstacle, fileURLToPath(import.meta.url), driverFolder())
  return new HistoryError('module_missing', `${MODULE} ${OBSTACLES[obstacle]}`, remedy)
}

/** Folder of better-sqlite3, compiled or not; null if it is not installed. */
function driverFolder(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve('better-sqlite3')
    return /^.*[\\/]better-sqlite3(?=[\\/])/.exec(entry)?.[0] ?? null
  } catch {
    return null
  }
}

/** Version of the SQLite library, as in `3.53.2`. Throws HistoryError: module_missing. */
export function sqliteVersion(): string {
  const db = openFile(':memory:')
  try {
    return String(db.prepare('SELECT sqlite_version()').pluck().get())
  } finally {
    db.close()
  }
}

/** The driver in use, and the reason better-sqlite3 was not used if it was wanted. Throws HistoryError: module_missing. */
export function sqliteDriver(): string {
  const { name, obstacle } = usedDriver()
  if (name === null && obstacle !== null) throw missing(obstacle)
  return obstacle === null ? `${name}` : `${name}, because ${MODULE} ${OBSTACLES[obstacle]}`
}
