import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { historyErrorOf } from '../history-error.ts'
import { openForReading } from '../open-database.ts'
import { DAY_TIER_SECONDS, groupings } from '../rollups.ts'
import type { Database } from '../sqlite.ts'
import { BACKUP_FORMAT, BACKUP_FORMAT_VERSION, type BackupTable, backupTableNames } from './backup-format.ts'
import { BackupError, type Progress } from './backup-progress.ts'

export interface ExportOptions {
  readonly statePath: string
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
 * Writes everything a store holds at one moment to a new file, mode 0600. The file gets its name when it is complete. Resolves with the number of rows.
 * Throws HistoryError and BackupError.
 */
export async function exportBackup(options: ExportOptions): Promise<number> {
  const { statePath, output } = options
  if (statSync(output, { throwIfNoEntry: false }) !== undefined) throw new BackupError(`${output} exists already: choose another name`)
  const unfinished = `${output}.unfinished`
  const db = openForReading(statePath)
  try {
    const file = openNew(unfinished)
    try {
      const rows = await writeBackup(db, file, options)
      fsyncSync(file)
      // Unlike a rename this never replaces a file that has come up meanwhile.
      linkSync(unfinished, output)
      return rows
    } catch (error) {
      throw error instanceof BackupError ? error : historyErrorOf(error)
    } finally {
      closeSync(file)
      rmSync(unfinished, { force: true })
    }
  } finally {
    db.close()
  }
}

function openNew(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'EEXIST') throw new BackupError(`${path} exists: another export is under way, or one was interrupted; remove it first`)
    throw new BackupError(`${path} cannot be written: ${code === 'ENOENT' ? 'its folder does not exist' : 'no permission, or no space'}`)
  }
}

async function writeBackup(db: Database, file: number, { exportedAt, appVersion, onProgress, stop }: ExportOptions): Promise<number> {
  db.exec('BEGIN')
  const counts = countsOf(db)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const head = {
    format: BACKUP_FORMAT,
    formatVersion: BACKUP_FORMAT_VERSION,
    exportedAt,
    appVersion,
    schemaVersion: Number(db.pragma('user_version', { simple: true })),
    containsSecrets: true,
    counts,
  }
  const digest = createHash('sha256')
  let text = `${JSON.stringify(head).slice(0, -1)},"tables":`
  write(file, text)
  text = ''
  const put = (more: string) => {
    text += more
    if (text.length < BYTES_PER_WRITE) return
    digest.update(text)
    write(file, text)
    text = ''
  }
  let rows = 0
  put('{')
  for (const [index, table] of backupTableNames.entries()) {
    put(`${index === 0 ? '' : ','}\n"${table}":[`)
    let first = true
    for (const row of rowsOf(db, table)) {
      put(first ? `\n${row}` : `,\n${row}`)
      first = false
      rows += 1
      if (rows % ROWS_PER_TURN !== 0) continue
      onProgress?.({ rows, total })
      await new Promise((resolve) => setImmediate(resolve))
      if (stop?.aborted === true) throw new BackupError('interrupted: nothing was written')
    }
    put(first ? ']' : '\n]')
  }
  put('\n}')
  digest.update(text)
  write(file, `${text},"sha256":"${digest.digest('hex')}"}\n`)
  onProgress?.({ rows, total })
  return rows
}

function write(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.byteLength; ) written += writeSync(file, bytes, written)
}

/** One row a line, each value as JSON; in an order that only what is stored decides. */
const SELECTS: Readonly<Record<BackupTable, string>> = {
  accounts: 'SELECT instance, key, title FROM accounts ORDER BY instance, key',
  usage: 'SELECT at_ms, cast(key AS TEXT), account_id, api_name_id, model_id, tokens, failed FROM usage ORDER BY at_ms, key',
  days: `SELECT grouping, bucket_s, member_id, requests, tokens, failed FROM rollups WHERE tier_seconds = ${DAY_TIER_SECONDS}`,
  quotaSamples: `SELECT a.instance, a.key, q.window_id, q.at_ms, q.percent, q.reset_at_ms FROM quota_samples q JOIN accounts a ON a.id = q.account_id
    ORDER BY a.instance, a.key, q.window_id, q.at_ms`,
  capacityPoints:
    'SELECT window_id, at_ms, known_units, tracked_units, unknown_units, burned_units FROM capacity_points ORDER BY window_id, at_ms',
  recentChanges: 'SELECT at_ms, tone, detail FROM recent_changes ORDER BY at_ms, tone, detail',
  gaps: 'SELECT from_ms, to_ms, reason FROM gaps ORDER BY from_ms, to_ms, reason',
  meta: "SELECT name, value FROM meta WHERE name IN ('cut_ms', 'first_poll_ms', 'instance', 'fingerprint_key') ORDER BY name",
}

function countsOf(db: Database): Readonly<Record<BackupTable, number>> {
  const count = (table: BackupTable) => Number(db.prepare(`SELECT count(*) FROM (${SELECTS[table]})`).pluck().get())
  return Object.fromEntries(backupTableNames.map((table) => [table, count(table)])) as Record<BackupTable, number>
}

function* rowsOf(db: Database, table: BackupTable): Generator<string> {
  if (table === 'usage') yield* usageRows(db)
  else if (table === 'days') yield* dayRows(db)
  else for (const row of db.prepare(SELECTS[table]).raw().iterate() as IterableIterator<unknown[]>) yield JSON.stringify(row)
}

type UsageValues = [number, string, number, number, number, number, number]

function* usageRows(db: Database): Generator<string> {
  const { accounts, apiNames, models } = namesOf(db)
  for (const row of db.prepare(SELECTS.usage).raw().iterate() as IterableIterator<UsageValues>) {
    const [at, key, account, apiName, model, tokens, failed] = row
    yield `[${at},"${key}",${accounts.get(account)},${apiNames.get(apiName)},${models.get(model)},${tokens},${failed}]`
  }
}

type DayValues = [number, number, number, number, number, number]

/** Sorted by name and not by number, so that two stores with the same content give the same file. */
function* dayRows(db: Database): Generator<string> {
  const { accounts, apiNames, models } = namesOf(db)
  const nameOf = {
    total: () => '"",""',
    account: (member: number) => accounts.get(member),
    model: (member: number) => `"",${models.get(member)}`,
    api: (member: number) => `"",${apiNames.get(member)}`,
  }
  const byDay = db.prepare(`${SELECTS.days} AND grouping = ? AND bucket_s = ?`).raw()
  const days = db.prepare(
    `SELECT DISTINCT bucket_s FROM rollups WHERE grouping = ? AND tier_seconds = ${DAY_TIER_SECONDS} ORDER BY bucket_s`,
  )
  for (const [name, grouping] of Object.entries(groupings) as [keyof typeof groupings, number][]) {
    for (const day of days.pluck().all(grouping) as number[]) {
      const rows = (byDay.all(grouping, day) as DayValues[]).map(
        ([, , member, requests, tokens, failed]) => `["${name}",${day},${nameOf[name](member)},${requests},${tokens},${failed}]`,
      )
      yield* rows.sort()
    }
  }
}

/** Names as JSON, by number; an account with its instance in front. */
function namesOf(db: Database) {
  const names = (sql: string) =>
    new Map(
      (db.prepare(sql).raw().all() as [number, ...string[]][]).map(([id, ...values]) => [
        id,
        values.map((value) => JSON.stringify(value)).join(','),
      ]),
    )
  return {
    accounts: names('SELECT id, instance, key FROM accounts'),
    apiNames: names('SELECT id, name FROM api_names'),
    models: names('SELECT id, name FROM models'),
  }
}
