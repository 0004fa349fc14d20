import { createHash } from 'node:crypto'
import { HistoryError, historyErrorOf } from '../contract/history-error.ts'
import { openForReading } from '../sqlite/open-database.ts'
import type { Database } from '../sqlite/sqlite.ts'
import { DAY_TIER_SECONDS, type Grouping, groupings } from '../usage/tiers.ts'
import {
  BACKUP_FORMAT,
  BACKUP_FORMAT_VERSION,
  BACKUP_PAGE_CACHE,
  type BackupTable,
  backupTableNames,
} from './backup-format.ts'
import { type BackupOutput, openBackupFile, openBackupPipe } from './backup-output.ts'
import { BackupError, type Progress } from './backup-progress.ts'

/** What is exported, and where to. Paths are absolute. */
export interface ExportOptions {
  readonly statePath: string
  /** A file that does not exist yet; `-` for standard output. */
  readonly output: string
  readonly exportedAt: string
  readonly appVersion: string
  readonly onProgress?: Progress
  /** Ends the export; nothing is left of it then. */
  readonly stop?: AbortSignal
}

/** Rows between two looks at the outside world, and bytes between two writes. */
const ROWS_PER_TURN = 20_000
const BYTES_PER_WRITE = 256 * 1024

/**
 * Writes everything a store holds at one moment to a new file, mode 0600, or to a pipe. The file gets its name when it is complete. Resolves with the
 * number of rows. Throws HistoryError and BackupError.
 */
export async function exportBackup(options: ExportOptions): Promise<number> {
  const db = openForReading(options.statePath)
  try {
    if (db.pragma('user_version', { simple: true }) === 0)
      throw new HistoryError('not_ours', 'there is no history in this file')
    db.pragma(BACKUP_PAGE_CACHE)
    const output = options.output === '-' ? openBackupPipe() : openBackupFile(options.output)
    try {
      const rows = await writeBackup(db, output, options)
      output.finish()
      return rows
    } catch (error) {
      throw error instanceof BackupError ? error : historyErrorOf(error)
    } finally {
      output.close()
    }
  } finally {
    db.close()
  }
}

async function writeBackup(
  db: Database,
  output: BackupOutput,
  { exportedAt, appVersion, onProgress, stop }: ExportOptions,
): Promise<number> {
  // The file is opened for reading; only names are put aside, in memory.
  db.pragma('query_only = OFF')
  db.pragma('temp_store = MEMORY')
  db.exec('BEGIN')
  db.exec(NAMES)
  const schemaVersion = Number(db.pragma('user_version', { simple: true }))
  const knowsUpstreams = schemaVersion >= UPSTREAMS_SINCE_VERSION
  if (knowsUpstreams) db.exec(UPSTREAM_NAMES)
  const selects = knowsUpstreams ? SELECTS : FORMER_SELECTS
  const counts = countsOf(db)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const head = {
    format: BACKUP_FORMAT,
    formatVersion: knowsUpstreams ? BACKUP_FORMAT_VERSION : 1,
    exportedAt,
    appVersion,
    schemaVersion,
    containsSecrets: true,
    counts,
  }
  const digest = createHash('sha256')
  let text = `${JSON.stringify(head).slice(0, -1)},"tables":`
  await output.write(text)
  text = ''
  const flush = async () => {
    const full = text
    text = ''
    digest.update(full)
    await output.write(full)
  }
  let rows = 0
  text += '{'
  for (const [index, table] of backupTableNames.entries()) {
    text += `${index === 0 ? '' : ','}\n"${table}":[`
    let first = true
    for (const row of db.prepare(selects[table]).pluck().iterate() as IterableIterator<string>) {
      text += first ? `\n${row}` : `,\n${row}`
      if (text.length >= BYTES_PER_WRITE) await flush()
      first = false
      rows += 1
      if (rows % ROWS_PER_TURN !== 0) continue
      onProgress?.({ rows, total })
      await new Promise((resolve) => setImmediate(resolve))
      if (stop?.aborted === true) throw new BackupError('interrupted: nothing was written')
    }
    text += first ? ']' : '\n]'
  }
  text += '\n}'
  digest.update(text)
  await output.write(`${text},"sha256":"${digest.digest('hex')}"}\n`)
  onProgress?.({ rows, total })
  return rows
}

/** Names as JSON by number, made once and not for every row; an account with its instance in front. */
const NAMES = `
  CREATE TEMP TABLE account_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO account_names SELECT id, json_quote(instance) || ',' || json_quote(key) FROM accounts;
  CREATE TEMP TABLE api_name_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO api_name_names SELECT id, json_quote(name) FROM api_names;
  CREATE TEMP TABLE model_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO model_names SELECT id, json_quote(name) FROM models;`
/** The same of the dictionaries that a store has which knows its proxies. */
const UPSTREAM_NAMES = `
  CREATE TEMP TABLE upstream_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO upstream_names SELECT id, json_quote(name) FROM upstreams;
  CREATE TEMP TABLE provider_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO provider_names SELECT id, json_quote(name) FROM providers;`

const CLASS_COLUMNS = ['tokens_in', 'tokens_cached', 'tokens_written', 'tokens_out'] as const

const DAY_MEMBERS = {
  total: `'"",""'`,
  account: 'a.names',
  model: `'"",' || m.names`,
  api: `'"",' || n.names`,
  upstream: `'"",' || s.names`,
  provider: `'"",' || p.names`,
} as const
const DAY_JOINS = {
  total: '',
  account: 'JOIN temp.account_names a ON a.id = member_id',
  model: 'JOIN temp.model_names m ON m.id = member_id',
  api: 'JOIN temp.api_name_names n ON n.id = member_id',
  upstream: 'JOIN temp.upstream_names s ON s.id = member_id',
  provider: 'JOIN temp.provider_names p ON p.id = member_id',
} as const

/** What a store that does not know its proxies lacks: its backup has format 1. */
const UPSTREAMS_SINCE_VERSION = 3

type Selects = Readonly<Record<BackupTable, string>>

/** Rows as JSON, one a line, made by SQLite itself; in an order that only what is stored decides. */
const SELECTS: Selects = {
  accounts: 'SELECT json_array(instance, key, title) FROM accounts ORDER BY instance, key',
  usage: usageLines(
    `${['s.names', orNull('p.names'), ...[...CLASS_COLUMNS, 'latency_ms', 'first_token_ms'].map(orNull)].join(" || ',' || ")}`,
    'JOIN temp.upstream_names s ON s.id = upstream_id LEFT JOIN temp.provider_names p ON p.id = provider_id',
  ),
  days: dayLines(Object.keys(groupings) as Grouping[], CLASS_COLUMNS),
  quotaSamples: `SELECT json_array(a.instance, a.key, q.window_id, q.at_ms, q.percent, q.reset_at_ms) FROM quota_samples q
    JOIN accounts a ON a.id = q.account_id ORDER BY a.instance, a.key, q.window_id, q.at_ms`,
  capacityPoints: `SELECT json_array(window_id, at_ms, known_units, tracked_units, unknown_units, burned_units) FROM capacity_points
    ORDER BY window_id, at_ms`,
  recentChanges:
    'SELECT json_array(at_ms, tone, detail) FROM recent_changes ORDER BY at_ms, tone, detail',
  gaps: `SELECT json_array(from_ms, to_ms, reason, s.name) FROM gaps g JOIN upstreams s ON s.id = g.upstream_id
    ORDER BY from_ms, to_ms, reason, s.name`,
  meta: "SELECT json_array(name, value) FROM meta WHERE name IN ('cut_ms', 'first_poll_ms', 'instance', 'fingerprint_key') ORDER BY name",
}

const FORMER_SELECTS: Selects = {
  ...SELECTS,
  usage: usageLines(null, ''),
  days: dayLines(['total', 'account', 'model', 'api'], []),
  gaps: 'SELECT json_array(from_ms, to_ms, reason) FROM gaps ORDER BY from_ms, to_ms, reason',
}

function orNull(value: string): string {
  return `ifnull(${value}, 'null')`
}

function usageLines(more: string | null, joins: string): string {
  return `SELECT '[' || at_ms || ',"' || u.key || '",' || a.names || ',' || n.names || ',' || m.names || ',' || tokens || ',' || failed${more === null ? '' : ` || ',' || ${more}`} || ']'
    FROM usage u JOIN temp.account_names a ON a.id = account_id JOIN temp.api_name_names n ON n.id = api_name_id JOIN temp.model_names m ON m.id = model_id ${joins}
    ORDER BY at_ms, u.key`
}

function dayLines(names: readonly Grouping[], more: readonly string[]): string {
  const measures = ['requests', 'tokens', 'failed', ...more].join(" || ',' || ")
  const lines = names.map(
    (name) =>
      `SELECT '["${name}",' || bucket_s || ',' || ${DAY_MEMBERS[name]} || ',' || ${measures} || ']' AS line,
         ${groupings[name]} AS grouping, bucket_s FROM rollups r ${DAY_JOINS[name]}
       WHERE grouping = ${groupings[name]} AND tier_seconds = ${DAY_TIER_SECONDS}`,
  )
  return `SELECT line FROM (${lines.join(' UNION ALL ')}) ORDER BY grouping, bucket_s, line`
}

const COUNTS: Readonly<Record<BackupTable, string>> = {
  accounts: 'accounts',
  usage: 'usage',
  days: `rollups WHERE tier_seconds = ${DAY_TIER_SECONDS}`,
  quotaSamples: 'quota_samples',
  capacityPoints: 'capacity_points',
  recentChanges: 'recent_changes',
  gaps: 'gaps',
  meta: "meta WHERE name IN ('cut_ms', 'first_poll_ms', 'instance', 'fingerprint_key')",
}

function countsOf(db: Database): Readonly<Record<BackupTable, number>> {
  const count = (table: BackupTable) =>
    Number(db.prepare(`SELECT count(*) FROM ${COUNTS[table]}`).pluck().get())
  return Object.fromEntries(backupTableNames.map((table) => [table, count(table)])) as Record<
    BackupTable,
    number
  >
}
