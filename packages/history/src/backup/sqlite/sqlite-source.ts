import type { Database } from '@svc/sqlite'
import { HistoryError } from '../../contract/history-error.ts'
import { NEWEST_VERSION, openForReading } from '../../sqlite/open-database.ts'
import { historyErrorOf } from '../../sqlite/sqlite-error.ts'
import { measureColumns, statedColumns } from '../../usage/measures.ts'
import { DAY_TIER_SECONDS, type Grouping, groupings, rateGroupings } from '../../usage/tiers.ts'
import { type BackupTable, backupTableNames } from '../format/backup-format.ts'
import { type BackupSource, realText } from '../format/import-target.ts'

/** Page cache of a backup. Because a backup reads the store in order, 4 MiB are as good as the 16 MiB of readers. */
export const BACKUP_PAGE_CACHE = 'cache_size = -4096'

const ROWS_PER_PAGE = 1_000

/** Rows from a time (inclusive) to another (exclusive), and the bucket width of the selected `days`. */
export interface TablePart {
  readonly fromMs: number
  readonly toMs: number
  readonly tierSeconds: number
}

/** Backup source of a file, with queries that other engines do not need. Methods throw SQLite's errors. */
export interface FileSource extends BackupSource {
  /** Pages of a table's rows. `part` limits requests, days and capacity; other tables are always whole. */
  pages(table: BackupTable, part?: Partial<TablePart>): Iterable<readonly string[]>
  /** Rows of a statement, as lists of values. */
  rows<Row extends readonly unknown[]>(
    sql: string,
    ...values: readonly (string | number)[]
  ): readonly Row[]
}

const WHOLE: TablePart = {
  fromMs: 0,
  toMs: Number.MAX_SAFE_INTEGER,
  tierSeconds: DAY_TIER_SECONDS,
}

/** Backup source of a file, which a service may keep writing. Rejects with HistoryError and the errors of `read`. */
export function sqliteSource(
  path: string,
): <Result>(read: (source: FileSource) => Promise<Result>) => Promise<Result> {
  return async (read) => {
    const db = openForReading(path)
    try {
      db.pragma(BACKUP_PAGE_CACHE)
      const schemaVersion = beginReading(db)
      return await read({
        schemaVersion,
        counts: async () => countsOf(db),
        pages: (table, part) => pagesOf(db, selectsOf({ ...WHOLE, ...part })[table]),
        rows: (sql, ...values) =>
          db
            .prepare(sql)
            .raw()
            .all(...values) as never,
      })
    } catch (error) {
      throw historyErrorOf(error)
    } finally {
      db.close()
    }
  }
}

/** Begins a read transaction that lasts until the file is closed, and returns the schema version. Throws HistoryError. */
function beginReading(db: Database): number {
  // The file is open for reading; only temporary tables of names are written, in memory.
  db.pragma('query_only = OFF')
  db.pragma('temp_store = MEMORY')
  db.function('real_text', { deterministic: true }, realText)
  db.exec('BEGIN')
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version === 0) throw new HistoryError('not_ours', 'there is no history in this file')
  if (version < NEWEST_VERSION)
    throw new HistoryError(
      'cannot_open',
      'the file is of an earlier version: start the service with it once, which brings it up to date',
    )
  db.exec(NAMES)
  return version
}

function* pagesOf(db: Database, select: string): Generator<readonly string[]> {
  let page: string[] = []
  for (const row of db.prepare(select).pluck().iterate() as IterableIterator<string>) {
    page.push(row)
    if (page.length < ROWS_PER_PAGE) continue
    yield page
    page = []
  }
  yield page
}

/** Temporary tables of names as JSON by number, so that each is encoded once instead of per row. The text of an account begins with its instance. */
const NAMES = `
  CREATE TEMP TABLE account_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO account_names SELECT id, json_quote(instance) || ',' || json_quote(key) FROM accounts;
  CREATE TEMP TABLE api_name_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO api_name_names SELECT id, json_quote(name) FROM api_names;
  CREATE TEMP TABLE model_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO model_names SELECT id, json_quote(name) FROM models;
  CREATE TEMP TABLE upstream_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO upstream_names SELECT id, json_quote(name) FROM upstreams;
  CREATE TEMP TABLE provider_names (id INTEGER PRIMARY KEY, names TEXT);
  INSERT INTO provider_names SELECT id, json_quote(name) FROM providers;`

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

/** Rows as JSON lines made by SQLite, in an order that depends only on the content. */
const selectsOf = (part: TablePart): Readonly<Record<BackupTable, string>> => ({
  accounts: 'SELECT json_array(instance, key, title) FROM accounts ORDER BY instance, key',
  usage: `SELECT '[' || at_ms || ',"' || u.key || '",' || ${[
    'a.names',
    'n.names',
    'm.names',
    'tokens',
    'failed',
    's.names',
    ...['p.names', ...statedColumns].map(orNull),
  ].join(" || ',' || ")} || ']'
    FROM usage u JOIN temp.account_names a ON a.id = account_id JOIN temp.api_name_names n ON n.id = api_name_id JOIN temp.model_names m ON m.id = model_id
    JOIN temp.upstream_names s ON s.id = upstream_id LEFT JOIN temp.provider_names p ON p.id = provider_id
    WHERE ${within(part)} ORDER BY at_ms, u.key`,
  days: dayLines(part),
  rates: rateLines(part),
  failureCauses: `SELECT line FROM (SELECT '[' || ${[
    'day',
    'p.names',
    's.names',
    'a.names',
    'status',
    'json_quote(code)',
    'requests',
  ].join(" || ',' || ")} || ']' AS line, day FROM failure_causes f JOIN causes c ON c.id = cause_id
    JOIN temp.provider_names p ON p.id = f.provider_id JOIN temp.upstream_names s ON s.id = upstream_id
    JOIN temp.account_names a ON a.id = account_id) ORDER BY day, line`,
  prices: `SELECT json_array(m.name, tier, band, from_day, rate_in, rate_read, rate_write, rate_out, s.kind, s.sha256, s.read_at_ms)
    FROM prices JOIN models m ON m.id = model_id JOIN price_sources s ON s.id = source_id ORDER BY m.name, tier, band, from_day`,
  quotaSamples: `SELECT json_array(a.instance, a.key, q.window_id, q.at_ms, json(real_text(q.percent)), q.reset_at_ms) FROM quota_samples q
    JOIN accounts a ON a.id = q.account_id ORDER BY a.instance, a.key, q.window_id, q.at_ms`,
  capacityPoints: `SELECT json_array(window_id, at_ms, ${['known', 'tracked', 'unknown', 'burned'].map((of) => `json(real_text(${of}_units))`).join(', ')}, json(iif(usable_units IS NULL, 'null', real_text(usable_units)))) FROM capacity_points
    WHERE ${within(part)} ORDER BY window_id, at_ms`,
  recentChanges:
    'SELECT json_array(at_ms, tone, detail) FROM recent_changes ORDER BY at_ms, tone, detail',
  gaps: `SELECT json_array(from_ms, to_ms, reason, s.name) FROM gaps g JOIN upstreams s ON s.id = g.upstream_id
    ORDER BY from_ms, to_ms, reason, s.name`,
  meta: "SELECT json_array(name, value) FROM meta WHERE name IN ('cut_ms', 'first_poll_ms', 'tiers_since_ms', 'instance', 'fingerprint_key') ORDER BY name",
})

function within({ fromMs, toMs }: TablePart): string {
  return `at_ms >= ${fromMs} AND at_ms < ${toMs}`
}

function orNull(value: string): string {
  return `ifnull(${value}, 'null')`
}

function dayLines({ fromMs, toMs, tierSeconds }: TablePart): string {
  const names = Object.keys(groupings) as Grouping[]
  const measures = measureColumns.join(" || ',' || ")
  const lines = names.map(
    (name) =>
      `SELECT '["${name}",' || bucket_s || ',' || ${DAY_MEMBERS[name]} || ',' || ${measures} || ']' AS line,
         ${groupings[name]} AS grouping, bucket_s FROM rollups r ${DAY_JOINS[name]}
       WHERE grouping = ${groupings[name]} AND tier_seconds = ${tierSeconds} AND bucket_s >= ${fromMs / 1000} AND bucket_s < ${toMs / 1000}`,
  )
  return `SELECT line FROM (${lines.join(' UNION ALL ')}) ORDER BY grouping, bucket_s, line`
}

/** Members of rates by name; those of the cell of all others are empty. */
const RATE_MEMBERS = {
  account_rate: `ifnull(a.names, '"",""')`,
  client_rate: `'"",' || ifnull(n.names, '""')`,
} as const

function rateLines({ fromMs, toMs, tierSeconds }: TablePart): string {
  const named = (names: string) => `ifnull(${names}, '""')`
  const rate = [named('m.names'), named('s.names'), named('p.names'), 'tier', 'band']
  const lines = (Object.keys(RATE_MEMBERS) as (keyof typeof RATE_MEMBERS)[]).map(
    (name) =>
      `SELECT '["${name}",' || ${['bucket_s', RATE_MEMBERS[name], ...rate, ...measureColumns].join(" || ',' || ")} || ']' AS line, grouping, bucket_s
       FROM rollups JOIN cells c ON c.id = rollups.member_id LEFT JOIN temp.account_names a ON a.id = c.member_id LEFT JOIN temp.api_name_names n ON n.id = c.member_id
       LEFT JOIN temp.model_names m ON m.id = model_id LEFT JOIN temp.upstream_names s ON s.id = upstream_id LEFT JOIN temp.provider_names p ON p.id = provider_id
       WHERE grouping = ${rateGroupings[name]} AND tier_seconds = ${tierSeconds} AND bucket_s >= ${fromMs / 1000} AND bucket_s < ${toMs / 1000}`,
  )
  return `SELECT line FROM (${lines.join(' UNION ALL ')}) ORDER BY grouping, bucket_s, line`
}

const COUNTS: Readonly<Record<BackupTable, string>> = {
  accounts: 'accounts',
  usage: 'usage',
  days: `rollups WHERE tier_seconds = ${DAY_TIER_SECONDS} AND grouping <= ${groupings.provider}`,
  rates: `rollups WHERE tier_seconds = ${DAY_TIER_SECONDS} AND grouping > ${groupings.provider}`,
  failureCauses: 'failure_causes',
  prices: 'prices',
  quotaSamples: 'quota_samples',
  capacityPoints: 'capacity_points',
  recentChanges: 'recent_changes',
  gaps: 'gaps',
  meta: "meta WHERE name IN ('cut_ms', 'first_poll_ms', 'tiers_since_ms', 'instance', 'fingerprint_key')",
}

function countsOf(db: Database): Readonly<Record<BackupTable, number>> {
  const count = (table: BackupTable) =>
    Number(db.prepare(`SELECT count(*) FROM ${COUNTS[table]}`).pluck().get())
  return Object.fromEntries(backupTableNames.map((table) => [table, count(table)])) as Record<
    BackupTable,
    number
  >
}
