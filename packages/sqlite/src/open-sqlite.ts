import { createRequire } from 'node:module'
import type Sqlite from 'better-sqlite3'
import { nodeOpener, type Open } from './node-driver.ts'

/** Reason better-sqlite3 cannot be loaded. */
export type Obstacle = 'not_installed' | 'not_compiled' | 'other_node' | 'other_system'

/** Module that opens databases, null if there is none, and the obstacle to better-sqlite3 if it was wanted. */
interface Driver {
  readonly name: 'better-sqlite3' | 'node:sqlite' | null
  readonly obstacle: Obstacle | null
  readonly open: Open
}
let found: Driver | null = null

/** Oldest SQLite version that cannot damage a file in WAL mode. See docs/limits.md#history-store. */
const SQLITE_MIN = '3.51.3'

/** True if a WAL file is safe with this version of SQLite, as in `3.53.2`. */
export const isSafeSqlite = (version: string): boolean =>
  SQLITE_MIN.localeCompare(version, 'en', { numeric: true }) <= 0

/** The driver in use, searched for on the first call. */
export function usedDriver(): Driver {
  found ??= search()
  return found
}

/** Opens a database with the driver in use. Throws the errors of SQLite, and a plain Error without any driver. */
export const openSqlite: Open = (path, options) => usedDriver().open(path, options)

/**
 * Chooses the driver. Node 24 and later use their own SQLite first, because better-sqlite3 crashes the process there. See
 * docs/decisions/019-two-sqlite-modules.md.
 */
function search(): Driver {
  const { node, sqlite = '0' } = process.versions
  const preferred = Number.parseInt(node, 10) >= 24 && isSafeSqlite(sqlite) ? nodeOpener() : null
  if (preferred !== null) return { name: 'node:sqlite', obstacle: null, open: preferred }
  try {
    const Better = createRequire(import.meta.url)('better-sqlite3') as typeof Sqlite
    // Only opening a database loads the binding itself.
    new Better(':memory:').close()
    return { name: 'better-sqlite3', obstacle: null, open: (...args) => new Better(...args) }
  } catch (error) {
    const obstacle = obstacleOf(error)
    const own = nodeOpener()
    if (own !== null) return { name: 'node:sqlite', obstacle, open: own }
    const open = () => {
      throw new Error('there is no module for SQLite')
    }
    return { name: null, obstacle, open }
  }
}

function obstacleOf(error: unknown): Obstacle {
  if (!(error instanceof Error)) return 'other_system'
  // The module that searches for the compiled library lists the searched places.
  if ('tries' in error) return 'not_compiled'
  if ('code' in error && error.code === 'MODULE_NOT_FOUND') return 'not_installed'
  return error.message.includes('NODE_MODULE_VERSION') ? 'other_node' : 'other_system'
}
