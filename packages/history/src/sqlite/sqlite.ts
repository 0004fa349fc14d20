import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Database, type Obstacle, openSqlite, usedDriver } from '@svc/sqlite'
import { HistoryError } from '../contract/history-error.ts'

/** Major version of better-sqlite3 that this program is made for. */
const MAJOR = 12
const FLAGS = '--allow-scripts=better-sqlite3 --foreground-scripts'
const NEEDS =
  'Where no ready-made binary can be fetched it compiles, with python3, make, g++ and the headers of Node, of which npm_config_nodedir names the folder.'

/**
 * Remedy for a missing SQLite module, with one complete shell command. `program` is a file of ours, `driver` the folder of better-sqlite3 or null.
 */
export function sqliteRemedy(obstacle: Obstacle, program: string, driver: string | null): string {
  const line = lineFor(obstacle, program, driver)
  return `Use Node 24 or later, whose own SQLite is used, or run \`${line}\` as the user who installed this program. ${NEEDS}`
}

function lineFor(obstacle: Obstacle, program: string, driver: string | null): string {
  const home = /^(.*)[\\/]node_modules[\\/]/.exec(program)?.[1]
  // npm installs every program below a folder of this name.
  if (home === undefined) return `npm --prefix ${shellWord(cloneOf(program))} run sqlite`
  // Its own script: what npm rebuild does depends on where and how this program was installed, and it may do nothing.
  if (obstacle !== 'not_installed' && driver !== null)
    return `npm --prefix ${shellWord(driver)} run install`
  const wanted = `better-sqlite3@${MAJOR}`
  if (existsSync(join(home, 'package.json')))
    return `npm --prefix ${shellWord(home)} install --foreground-scripts ${wanted}`
  const prefix = basename(home) === 'lib' ? dirname(home) : home
  return `npm install --global --prefix ${shellWord(prefix)} ${FLAGS} ${wanted}`
}

/** Root folder of the clone that contains a file. */
function cloneOf(file: string): string {
  const folder = dirname(file)
  return folder === file || existsSync(join(folder, 'pnpm-workspace.yaml'))
    ? folder
    : cloneOf(folder)
}

function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}

/** Opens a database. Throws SQLite's errors, and HistoryError: module_missing. */
export function openFile(...[path, options]: Parameters<typeof openSqlite>): Database {
  const { name, obstacle } = usedDriver()
  if (name === null && obstacle !== null) throw missing(obstacle)
  return openSqlite(path, options)
}

/** Closes a database after some work with it. */
export function closedAfter<Result>(db: Database, work: (db: Database) => Result): Result {
  try {
    return work(db)
  } finally {
    db.close()
  }
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
  return closedAfter(openFile(':memory:'), (db) =>
    String(db.prepare('SELECT sqlite_version()').pluck().get()),
  )
}

/** The driver in use, and the reason better-sqlite3 was not used if it was wanted. Throws HistoryError: module_missing. */
export function sqliteDriver(): string {
  const { name, obstacle } = usedDriver()
  if (name === null && obstacle !== null) throw missing(obstacle)
  return obstacle === null ? `${name}` : `${name}, because ${MODULE} ${OBSTACLES[obstacle]}`
}
