import { closeSync, openSync, rmSync } from 'node:fs'
import { historyErrorOf } from './history-error.ts'
import { FORGET_ACCOUNTS } from './pool-memory-store.ts'
import { type Database, loadSqlite } from './sqlite.ts'

export interface RedactDatabaseOptions {
  readonly path: string
  /** A file that does not exist yet. */
  readonly output: string
  /** What stands in a column instead of this text. */
  readonly redact: (column: string, text: string) => string
}

/** Keys that must not leave: with the one the fingerprints of clients can be made again. */
const SECRET_META = ['fingerprint_key']
/** What may stand in a copy; everything else is left out. */
const TABLES: ReadonlySet<string> = new Set([
  ...[
    'meta',
    'accounts',
    'api_names',
    'models',
    'usage',
    'rollups',
    'quota_samples',
    'capacity_points',
    'recent_changes',
    'gaps',
    'quarantine',
  ],
])
/** Columns that hold names, whatever their own name says. */
const NAMES: Readonly<Record<string, string>> = { 'accounts.key': 'account', 'accounts.title': 'email', 'api_names.name': 'api_name' }

/**
 * Makes a copy of a database in which every text is redacted, and of which nothing that was deleted is left. The original is opened for reading alone.
 * Of a database that is not ours every table stays. Throws HistoryError.
 */
export function redactDatabase({ path, output, redact }: RedactDatabaseOptions): void {
  try {
    const Sqlite = loadSqlite()
    const source = new Sqlite(path, { readonly: true, fileMustExist: true })
    try {
      closeSync(openSync(output, 'wx', 0o600))
      rmSync(output)
      source.prepare('VACUUM INTO ?').run(output)
    } finally {
      source.close()
    }
    const copy = new Sqlite(output, { fileMustExist: true })
    try {
      copy.pragma('journal_mode = DELETE')
      copy.pragma('secure_delete = ON')
      copy.pragma('foreign_keys = OFF')
      rewrite(copy, redact)
      copy.exec('VACUUM')
      if (copy.pragma('integrity_check', { simple: true }) !== 'ok') throw new Error('the copy is damaged')
    } finally {
      copy.close()
    }
  } catch (error) {
    rmSync(output, { force: true })
    throw historyErrorOf(error)
  }
}

function rewrite(db: Database, redact: RedactDatabaseOptions['redact']): void {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").pluck().all() as string[]
  const isOurs = tables.includes('api_names') && tables.includes('rollups')
  db.exec('BEGIN')
  if (isOurs) db.prepare(FORGET_ACCOUNTS).run()
  // Views and triggers can quote anything, and would run while rows are rewritten.
  const others = db.prepare("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')").all() as {
    type: string
    name: string
  }[]
  for (const { type, name } of others) db.exec(`DROP ${type} ${quoted(name)}`)
  for (const table of tables) {
    if (isOurs && !TABLES.has(table)) db.exec(`DROP TABLE ${quoted(table)}`)
    else rewriteTable(db, table, redact)
  }
  if (isOurs) for (const name of SECRET_META) db.prepare("UPDATE meta SET value = '' WHERE name = ?").run(name)
  db.exec('COMMIT')
}

/** Distinct texts are rewritten once each, so that a large table with few of them takes no longer than a small one. */
function rewriteTable(db: Database, table: string, redact: RedactDatabaseOptions['redact']): void {
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]
  for (const column of columns) {
    const name = NAMES[`${table}.${column}`] ?? column
    const [from, cell] = [quoted(table), quoted(column)]
    const values = db.prepare(`SELECT DISTINCT ${cell} FROM ${from} WHERE typeof(${cell}) IN ('text', 'blob')`).pluck().all() as (
      | string
      | Buffer
    )[]
    const update = db.prepare(`UPDATE ${from} SET ${cell} = ? WHERE ${cell} = ?`)
    for (const [index, value] of values.entries()) {
      const text = typeof value === 'string' ? value : value.toString('utf8')
      const shown = redact(name, text)
      // Bytes that are no text cannot be looked through.
      const isOpaque = typeof value !== 'string' && Buffer.from(text, 'utf8').compare(value) !== 0
      if (shown === text && !isOpaque) continue
      const stand = isOpaque ? Buffer.alloc(0) : shown
      try {
        update.run(stand, value)
      } catch {
        // Two texts may have got one stand-in where each must be another.
        update.run(`${String(stand)}~${index}`, value)
      }
    }
  }
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
