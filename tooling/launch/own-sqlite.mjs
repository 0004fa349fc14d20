/** The oldest SQLite that the store takes. */
const SQLITE_MIN = '3.51.3'

/** Whether this Node brings an SQLite that the store can do with. */
export const hasOwnSqlite =
  SQLITE_MIN.localeCompare(process.versions.sqlite ?? '0', 'en', { numeric: true }) <= 0

/** Whether the store takes it before better-sqlite3. See docs/decisions/019-two-sqlite-modules.md. */
export const prefersOwnSqlite = hasOwnSqlite && Number.parseInt(process.versions.node, 10) >= 24
