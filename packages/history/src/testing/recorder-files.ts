import { type Database, openSqlite } from '@svc/sqlite'

type Row = Readonly<Record<string, unknown>>

const KEEPER_COLUMNS = `id INTEGER PRIMARY KEY AUTOINCREMENT, event_key TEXT, api_group_key TEXT, provider TEXT, endpoint TEXT, auth_type TEXT,
  request_id TEXT, client_ip TEXT, x_forwarded_for TEXT, user_agent TEXT, model TEXT, model_alias TEXT, reasoning_effort TEXT NOT NULL DEFAULT '',
  service_tier TEXT NOT NULL DEFAULT '', response_service_tier TEXT NOT NULL DEFAULT '', executor_type TEXT NOT NULL DEFAULT '', timestamp TEXT,
  source TEXT, auth_index TEXT, failed NUMERIC, generate NUMERIC, latency_ms INTEGER, ttft_ms INTEGER, input_tokens INTEGER, output_tokens INTEGER,
  reasoning_tokens INTEGER, cached_tokens INTEGER, cache_read_tokens INTEGER, cache_creation_tokens INTEGER, total_tokens INTEGER, created_at TEXT`

const MANAGER_COLUMNS = `id INTEGER PRIMARY KEY AUTOINCREMENT, event_hash TEXT, request_id TEXT, timestamp_ms INTEGER, timestamp TEXT, provider TEXT,
  executor_type TEXT, model TEXT, requested_model TEXT, resolved_model TEXT, endpoint TEXT, method TEXT, path TEXT, auth_type TEXT, auth_index TEXT,
  source TEXT, source_hash TEXT, api_key_hash TEXT, account_snapshot TEXT, auth_label_snapshot TEXT, auth_file_snapshot TEXT,
  auth_provider_snapshot TEXT, reasoning_effort TEXT, service_tier TEXT, request_service_tier TEXT, response_service_tier TEXT,
  cache_input_mode TEXT, input_tokens INTEGER, output_tokens INTEGER, reasoning_tokens INTEGER, cached_tokens INTEGER, cache_tokens INTEGER,
  cache_read_tokens INTEGER, cache_creation_tokens INTEGER, total_tokens INTEGER, latency_ms INTEGER, ttft_ms INTEGER, failed INTEGER,
  fail_status_code INTEGER, created_at_ms INTEGER, raw_json TEXT, fail_summary TEXT`

/** Creates a SQLite file as CPA Usage Keeper has one. `without`: a column that its schema lacks. */
export function createKeeperFile(
  path: string,
  rows: readonly Row[],
  {
    archived = [],
    without,
  }: { readonly archived?: readonly Row[]; readonly without?: string } = {},
): void {
  const columns =
    without === undefined
      ? KEEPER_COLUMNS
      : KEEPER_COLUMNS.replace(new RegExp(`\\s${without} [^,]+,`), '')
  createFile(
    path,
    { usage_events: columns, usage_events_archive: columns },
    {
      usage_events: rows,
      usage_events_archive: archived,
    },
  )
}

/** Goes on writing a file of CPA Usage Keeper: these rows are committed to its log, and one more request is not. Returns a function that stops. */
export function writeKeeperFile(path: string, rows: readonly Row[]): () => void {
  const db = openSqlite(path)
  db.pragma('wal_autocheckpoint = 0')
  insertRows(db, 'usage_events', rows)
  db.exec("BEGIN IMMEDIATE; INSERT INTO usage_events (event_key, model) VALUES ('open', 'm')")
  return () => void db.close()
}

/** Creates a SQLite file as CPA Manager Plus has one. */
export function createManagerFile(path: string, rows: readonly Row[]): void {
  createFile(path, { usage_events: MANAGER_COLUMNS }, { usage_events: rows })
}

function createFile(
  path: string,
  tables: Readonly<Record<string, string>>,
  rows: Readonly<Record<string, readonly Row[]>>,
): void {
  const db = openSqlite(path)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE model_price_settings (model TEXT, price REAL)')
  db.exec("INSERT INTO model_price_settings VALUES ('gpt-5.5', 1.25), ('claude', 3)")
  db.exec('BEGIN')
  for (const [table, columns] of Object.entries(tables)) {
    db.exec(`CREATE TABLE ${table} (${columns})`)
    insertRows(db, table, rows[table] ?? [])
  }
  db.exec('COMMIT')
  db.close()
}

function insertRows(db: Database, table: string, rows: readonly Row[]): void {
  for (const row of rows) {
    const names = Object.keys(row)
    db.prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ).run(...Object.values(row))
  }
}
