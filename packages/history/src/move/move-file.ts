import { type EpochMs, epochMs, HOUR_MS } from '@svc/core'
import type { UpstreamName } from '@svc/core/service'
import type { Database, Statement } from '@svc/sqlite'
import type { BackupRow } from '../backup/format/backup-format.ts'
import type { BackupLine } from '../backup/format/backup-reader.ts'
import { HistoryError, historyErrorOf } from '../contract/history-error.ts'
import { storedText } from '../postgres/stored-text.ts'
import { openForReading } from '../sqlite/open-database.ts'
import { measureColumns } from '../usage/measure-columns.ts'
import { DAY_TIER_SECONDS, type Grouping, groupings } from '../usage/tiers.ts'
import { showAsPresent } from './former-schema.ts'
import { groupingNames, measureNames, measuresOf, type NamedSum } from './moved-sums.ts'

/** Sums of an hour's rows, by the start of the hour. */
export type HourSums = ReadonlyMap<number, string>

/** Names of the file in its target. */
export interface MovedNames {
  instance(name: string): string
  upstream(name: UpstreamName): UpstreamName
}

/** Source file of a move; a service may keep writing to it. Methods throw HistoryError. */
export interface MoveFile {
  /** The store's own values. */
  meta(): ReadonlyMap<string, string>
  /** Start of the request of the newest row; null without rows. */
  newestAt(): EpochMs | null
  upstreams(): readonly UpstreamName[]
  /** Starts of the days with usage, newest last, with their requests. */
  days(): readonly { readonly startMs: number; readonly requests: number }[]
  /** Runs `work`, whose reads are all of one moment. */
  atOneMoment<Result>(work: () => Promise<Result>): Promise<Result>
  hours(fromMs: number, toMs: number): HourSums
  /** Pages of requests, in the order of time. */
  requests(fromMs: number, toMs: number, names: MovedNames): Iterable<readonly BackupLine[]>
  /** Sums of one width of bucket. */
  sums(tierSeconds: number, fromMs: number, toMs: number, names: MovedNames): readonly NamedSum[]
  /** Pages of a statement's rows. Nothing else may be read until it has ended. */
  rows(sql: string, values?: readonly (string | number)[]): Iterable<readonly Row[]>
  close(): void
}

/** A row with the table's values. */
export type Row = readonly (string | number | null)[]

const ROWS_PER_PAGE = 5_000
/** Largest key, as SQLite and PostgreSQL write it. */
const KEY_MAX = '9223372036854775807'

/** Opens a file for reading. Throws HistoryError. */
export function openMoveFile(path: string): MoveFile {
  const db = openForReading(path)
  try {
    if (db.pragma('user_version', { simple: true }) === 0)
      throw new HistoryError('not_ours', 'there is no history in the file')
    showAsPresent(db)
    return fileIn(db)
  } catch (error) {
    db.close()
    throw historyErrorOf(error)
  }
}

function fileIn(db: Database): MoveFile {
  const names = createFileNames(db)
  const readHours = db
    .prepare(
      `SELECT at_ms / ${HOUR_MS} * ${HOUR_MS}, count(*), total(tokens), total(failed), total(tokens_in), total(tokens_out) FROM usage
       WHERE at_ms >= ? AND at_ms < ? GROUP BY 1`,
    )
    .raw()
  return {
    meta: () =>
      new Map(db.prepare('SELECT name, value FROM meta').raw().all() as [string, string][]),
    newestAt() {
      const at = db.prepare('SELECT max(at_ms) FROM usage').pluck().get() as number | null
      return at === null ? null : epochMs(at)
    },
    upstreams: () =>
      db.prepare('SELECT name FROM upstreams ORDER BY id').pluck().all() as UpstreamName[],
    days: () => daysOf(db),
    async atOneMoment(work) {
      try {
        db.exec('BEGIN')
        return await work()
      } catch (error) {
        throw historyErrorOf(error)
      } finally {
        if (db.inTransaction) db.exec('COMMIT')
      }
    },
    hours: (fromMs, toMs) =>
      new Map(
        (readHours.all(fromMs, toMs) as number[][]).map(([hour = 0, ...sums]) => [
          hour,
          sums.map((sum) => Math.min(sum, Number.MAX_SAFE_INTEGER)).join(' '),
        ]),
      ),
    requests: (fromMs, toMs, moved) => requestsOf(db, names, { fromMs, toMs, moved }),
    sums: (tierSeconds, fromMs, toMs, moved) =>
      (
        db
          .prepare(
            `SELECT grouping, bucket_s, member_id, ${measureColumns.join(', ')} FROM rollups
             WHERE grouping IN (${Object.values(groupings).join(', ')}) AND tier_seconds = ? AND bucket_s >= ? AND bucket_s < ?`,
          )
          .raw()
          .all(tierSeconds, fromMs / 1000, toMs / 1000) as number[][]
      ).flatMap((row) => namedSum(row, names, moved)),
    *rows(sql, values = []) {
      let page: Row[] = []
      for (const row of db
        .prepare(sql)
        .raw()
        .iterate(...values) as IterableIterator<Row>) {
        page.push(row)
        if (page.length < ROWS_PER_PAGE) continue
        yield page
        page = []
      }
      yield page
    },
    close: () => void db.close(),
  }
}

function daysOf(db: Database): ReturnType<MoveFile['days']> {
  const days = db
    .prepare(
      `SELECT bucket_s * 1000, requests FROM rollups WHERE grouping = ${groupings.total} AND tier_seconds = ${DAY_TIER_SECONDS} ORDER BY bucket_s`,
    )
    .raw()
    .all() as [number, number][]
  return days.map(([startMs, requests]) => ({ startMs, requests }))
}

interface Stretch {
  readonly fromMs: number
  readonly toMs: number
  readonly moved: MovedNames
}

function* requestsOf(
  db: Database,
  names: FileNames,
  { fromMs, toMs, moved }: Stretch,
): Generator<readonly BackupLine[]> {
  const next = db
    .prepare(
      `SELECT at_ms, cast(key AS TEXT), account_id, api_name_id, model_id, tokens, failed, upstream_id, provider_id,
         tokens_in, tokens_cached, tokens_written, tokens_out, latency_ms, first_token_ms
       FROM usage WHERE (at_ms, key) > (?, cast(? AS INTEGER)) AND at_ms < ? ORDER BY at_ms, key LIMIT ${ROWS_PER_PAGE}`,
    )
    .raw()
  let last: readonly [at: number, key: string] = [fromMs - 1, KEY_MAX]
  for (;;) {
    const page = next.all(...last, toMs) as (readonly [at: number, key: string, ...number[]])[]
    const end = page.at(-1)
    if (end === undefined) return
    last = [end[0], end[1]]
    yield page.map((row) => ({ table: 'usage', row: requestOf(row, names, moved), number: 0 }))
  }
}

function requestOf(
  row: readonly [at: number, key: string, ...(number | null)[]],
  names: FileNames,
  moved: MovedNames,
): BackupRow<'usage'> {
  const [at, key, account, api, model, tokens, failed, upstream, provider, ...stated] = row
  const [instance, accountKey] = names.account(account)
  return [
    at,
    key,
    moved.instance(instance),
    accountKey,
    names.of('api_names', api),
    names.of('models', model),
    tokens,
    failed,
    moved.upstream(names.of('upstreams', upstream)),
    provider == null ? null : names.of('providers', provider),
    ...stated,
  ] as unknown as BackupRow<'usage'>
}

function namedSum(
  row: readonly number[],
  names: FileNames,
  moved: MovedNames,
): readonly NamedSum[] {
  const [groupingNumber = 0, bucketS = 0, memberId, ...values] = row
  const grouping = groupingNames.get(groupingNumber)
  if (grouping === undefined) return []
  const measures = measuresOf((name) => values[measureNames.indexOf(name)] ?? 0)
  const place = { grouping, bucketS, measures }
  if (grouping === 'account') {
    const [instance, member] = names.account(memberId)
    return [{ ...place, instance: moved.instance(instance), member }]
  }
  const name = grouping === 'total' ? '' : names.of(TABLES[grouping], memberId)
  const member = grouping === 'upstream' ? moved.upstream(name) : name
  return [{ ...place, instance: '', member }]
}

const TABLES = {
  model: 'models',
  api: 'api_names',
  upstream: 'upstreams',
  provider: 'providers',
} as const satisfies Partial<Record<Grouping, string>>

/** Names of a file by their numbers, as the database can store them, each looked up once. */
interface FileNames {
  of(table: NameTable, id: number | null | undefined): string
  account(id: number | null | undefined): readonly [instance: string, key: string]
}
type NameTable = (typeof TABLES)[keyof typeof TABLES]

function createFileNames(db: Database): FileNames {
  const find = new Map<NameTable, Statement>()
  const known = new Map<string, string>()
  const accounts = new Map<number, readonly [string, string]>()
  const findAccount = db.prepare('SELECT instance, key FROM accounts WHERE id = ?').raw()
  return {
    of(table, id) {
      const place = `${table} ${id}`
      const name = known.get(place)
      if (name !== undefined) return name
      const statement =
        find.get(table) ?? db.prepare(`SELECT name FROM ${table} WHERE id = ?`).pluck()
      find.set(table, statement)
      const found = storedText(String(statement.get(id) ?? ''))
      known.set(place, found)
      return found
    },
    account(id) {
      const seen = accounts.get(id ?? 0)
      if (seen !== undefined) return seen
      const [instance = '', key = ''] = (findAccount.get(id) ?? []) as readonly string[]
      const account = [instance, storedText(key)] as const
      accounts.set(id ?? 0, account)
      return account
    },
  }
}
