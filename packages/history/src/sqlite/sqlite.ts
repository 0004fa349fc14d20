import { type Database, type Obstacle, openSqlite, usedDriver } from '@svc/sqlite'
import { HistoryError } from '../contract/history-error.ts'

/** Opens a database. Throws SQLite's errors, and HistoryError: module_missing. */
export function openFile(...[path, options]: Parameters<typeof openSqlite>): Database {
  const { name, obstacle } = usedDriver()
  if (name === null && obstacle !== null) throw missing(obstacle)
  return openSqlite(path, options)
}

const MODULE = 'the SQLite module (better-sqlite3)'
const NEEDS =
  'Where npm can fetch no ready-made binary it compiles, with python3, make, g++ and the headers of Node, of which npm_config_nodedir names the folder. Node 24 needs none of it: its own SQLite is used.'
/** Works with every npm: the first flag is for 11.19 and later, the second shows the compiler. */
const FLAGS = '--global --allow-scripts=better-sqlite3 --foreground-scripts'
const BUILD_IT = `Run npm rebuild ${FLAGS} better-sqlite3. ${NEEDS}`
const INSTALL_IT = `Install svc-quota-monitor again with npm install ${FLAGS}, and without --omit=optional. ${NEEDS}`
const IN_A_CLONE = `Run npm run sqlite in the clone. ${NEEDS}`

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  not_installed: 'is not installed',
  not_compiled: 'is installed but not compiled: its install script was not run, or has failed',
  other_node: `was compiled for another version of Node than this one, ${process.versions.node}`,
  other_system: 'was compiled for another kind of machine or system than this one',
}

function missing(obstacle: Obstacle): HistoryError {
  // npm installs every program below a folder of this name.
  const isClone = !import.meta.url.includes('/node_modules/')
  const remedy = isClone ? IN_A_CLONE : obstacle === 'not_installed' ? INSTALL_IT : BUILD_IT
  return new HistoryError('module_missing', `${MODULE} ${OBSTACLES[obstacle]}`, remedy)
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

/** The driver in use, and what keeps better-sqlite3 from it where that was wanted. Throws HistoryError: module_missing. */
export function sqliteDriver(): string {
  const { name, obstacle } = usedDriver()
  if (name === null && obstacle !== null) throw missing(obstacle)
  return obstacle === null ? `${name}` : `${name}, because ${MODULE} ${OBSTACLES[obstacle]}`
}
