import { HistoryError } from '../../contract/history-error.ts'
import { connectionOf } from '../../postgres/address.ts'
import { versionOf } from '../../postgres/migrate.ts'
import { openSession, type Session } from '../../postgres/session.ts'
import { measureColumns, statedColumns } from '../../usage/measures.ts'
import { type Grouping, groupings, rateGroupings } from '../../usage/tiers.ts'
import { type BackupTable, backupTableNames } from '../format/backup-format.ts'
import { realText, type WithBackupSource } from '../format/import-target.ts'

const ROWS_PER_PAGE = 5_000
const SCHEMA = 'svc_quota_monitor'

/** Backup source of a database, which monitors may keep writing. Rejects with HistoryError. */
export function postgresSource(location: string, passwordFile: string | null): WithBackupSource {
  return async (read) => {
    const session = await openSession(connectionOf(location, passwordFile))
    try {
      const schemaVersion = await versionOf(session)
      if (schemaVersion === null || schemaVersion === 0)
        throw new HistoryError('not_ours', 'there is no history in this database')
      return await session.transaction('read', async () => {
        const tables = tablesOf(await namesOf(session))
        return await read({
          schemaVersion,
          counts: () => countsOf(session),
          pages: (table) => pagesOf(session, tables[table]),
        })
      })
    } finally {
      await session.close()
    }
  }
}

type Row = Readonly<Record<string, string | number | boolean | null>>

interface TableRows {
  readonly select: string
  lines(rows: readonly Row[]): readonly string[]
}

/** Name as JSON by its number, encoded once instead of per row. The text of an account begins with its instance. */
type Names = (table: NameTable, id: Row[string] | undefined) => string
type NameTable = 'accounts' | 'api_names' | 'models' | 'upstreams' | 'providers'
const NAME_COLUMNS: Readonly<Record<NameTable, readonly string[]>> = {
  accounts: ['instance', 'key'],
  api_names: ['name'],
  models: ['name'],
  upstreams: ['name'],
  providers: ['name'],
}

async function namesOf(session: Session): Promise<Names> {
  const names = new Map<string, string>()
  for (const [table, columns] of Object.entries(NAME_COLUMNS)) {
    const rows = await session.rows<Row>(`SELECT id, ${columns.join(', ')} FROM ${SCHEMA}.${table}`)
    for (const row of rows)
      names.set(
        `${table} ${row.id}`,
        columns.map((column) => JSON.stringify(row[column])).join(','),
      )
  }
  return (table, id) => names.get(`${table} ${id}`) ?? 'null'
}

/** Orders texts by bytes, like SQLite. */
const byBytes = (column: string) => `${column} COLLATE "C"`

const UNITS = ['known_units', 'tracked_units', 'unknown_units', 'burned_units'] as const
const KEPT_META = "('cut_ms', 'first_poll_ms', 'tiers_since_ms', 'instance', 'fingerprint_key')"
const GROUPING_NAMES = new Map<number, Grouping>(
  Object.entries(groupings).map(([name, number]) => [number, name as Grouping]),
)
const MEMBER_TABLES = {
  account: 'accounts',
  model: 'models',
  api: 'api_names',
  upstream: 'upstreams',
  provider: 'providers',
} as const

/** Tables as in `sqlite-source.ts`: the same content gives the same rows in the same order. */
function tablesOf(names: Names): Readonly<Record<BackupTable, TableRows>> {
  return {
    accounts: {
      select: `SELECT instance, key, title FROM ${SCHEMA}.accounts ORDER BY ${byBytes('instance')}, ${byBytes('key')}`,
      lines: each((row) => texts([row.instance, row.key, row.title])),
    },
    usage: {
      select: `SELECT at_ms, key::text AS key, account_id, api_name_id, model_id, upstream_id, provider_id, tokens, failed, ${statedColumns.join(', ')}
        FROM ${SCHEMA}.usage ORDER BY at_ms, usage.key`,
      lines: each((row) => usageLine(row, names)),
    },
    days: {
      select: `SELECT grouping, bucket_s, member_id, ${measureColumns.join(', ')} FROM ${SCHEMA}.rollup_86400
        WHERE grouping <= ${groupings.provider} ORDER BY grouping, bucket_s`,
      lines: sortedEach((row) => dayLine(row, names)),
    },
    rates: {
      select: `SELECT r.grouping, r.bucket_s, c.member_id, c.model_id, c.upstream_id, c.provider_id, c.tier, c.band, ${measureColumns.join(', ')}
        FROM ${SCHEMA}.rollup_86400 r JOIN ${SCHEMA}.cells c ON c.id = r.member_id
        WHERE r.grouping > ${groupings.provider} ORDER BY r.grouping, r.bucket_s`,
      lines: sortedEach((row) => rateLine(row, names)),
    },
    failureCauses: {
      select: `SELECT 0 AS grouping, f.day AS bucket_s, f.provider_id, f.upstream_id, f.account_id, c.status, c.code, f.requests
        FROM ${SCHEMA}.failure_causes f JOIN ${SCHEMA}.causes c ON c.id = f.cause_id ORDER BY f.day`,
      lines: sortedEach(
        (row) =>
          `[${row.bucket_s},${names('providers', row.provider_id)},${names('upstreams', row.upstream_id)},${names('accounts', row.account_id)},${row.status},${JSON.stringify(row.code)},${row.requests}]`,
      ),
    },
    prices: {
      select: `SELECT m.name, p.tier, p.band, p.from_day, p.rate_in, p.rate_read, p.rate_write, p.rate_out, s.kind, s.sha256, s.read_at_ms
        FROM ${SCHEMA}.prices p JOIN ${SCHEMA}.models m ON m.id = p.model_id JOIN ${SCHEMA}.price_sources s ON s.id = p.source_id
        ORDER BY ${byBytes('m.name')}, p.tier, p.band, p.from_day`,
      lines: each((row) => texts(Object.values(row))),
    },
    quotaSamples: {
      select: `SELECT q.account_id, q.window_id, q.at_ms, q.percent, q.reset_at_ms FROM ${SCHEMA}.quota_samples q JOIN ${SCHEMA}.accounts a ON a.id = q.account_id
        ORDER BY ${byBytes('a.instance')}, ${byBytes('a.key')}, ${byBytes('q.window_id')}, q.at_ms`,
      lines: each(
        (row) =>
          `[${names('accounts', row.account_id)},${JSON.stringify(row.window_id)},${row.at_ms},${realText(Number(row.percent))},${row.reset_at_ms}]`,
      ),
    },
    capacityPoints: {
      select: `SELECT window_id, at_ms, ${UNITS.join(', ')}, usable_units FROM ${SCHEMA}.capacity_points ORDER BY ${byBytes('window_id')}, at_ms`,
      lines: each(
        (row) =>
          `[${JSON.stringify(row.window_id)},${row.at_ms},${UNITS.map((column) => realText(Number(row[column]))).join(',')},${row.usable_units == null ? null : realText(Number(row.usable_units))}]`,
      ),
    },
    recentChanges: {
      select: `SELECT at_ms, tone, detail FROM ${SCHEMA}.recent_changes ORDER BY at_ms, ${byBytes('tone')}, ${byBytes('detail')}`,
      lines: each((row) => texts([row.at_ms, row.tone, row.detail])),
    },
    gaps: {
      select: `SELECT g.from_ms, g.to_ms, g.reason, s.name FROM ${SCHEMA}.gaps g JOIN ${SCHEMA}.upstreams s ON s.id = g.upstream_id
        ORDER BY g.from_ms, g.to_ms, ${byBytes('g.reason')}, ${byBytes('s.name')}`,
      lines: each((row) => texts([row.from_ms, row.to_ms, row.reason, row.name])),
    },
    meta: {
      select: `SELECT name, value FROM ${SCHEMA}.meta WHERE name IN ${KEPT_META} ORDER BY ${byBytes('name')}`,
      lines: each((row) => texts([row.name, row.value])),
    },
  }
}

function each(line: (row: Row) => string): TableRows['lines'] {
  return (rows) => rows.map(line)
}

function texts(values: readonly (Row[string] | undefined)[]): string {
  return JSON.stringify(values)
}

function usageLine(row: Row, names: Names): string {
  const stated = statedColumns.map((column) => row[column])
  return `[${[
    row.at_ms,
    `"${row.key}"`,
    names('accounts', row.account_id),
    names('api_names', row.api_name_id),
    names('models', row.model_id),
    row.tokens,
    row.failed === true ? 1 : 0,
    names('upstreams', row.upstream_id),
    row.provider_id === null ? null : names('providers', row.provider_id),
    ...stated,
  ]
    .map(String)
    .join(',')}]`
}

function dayLine(row: Row, names: Names): string {
  const name = GROUPING_NAMES.get(Number(row.grouping)) ?? 'total'
  const member = name === 'total' ? '""' : names(MEMBER_TABLES[name], row.member_id)
  return `["${name}",${row.bucket_s},${name === 'account' ? '' : '"",'}${member},${measuresIn(row)}]`
}

/** Names of the cell of all others are empty. */
function rateLine(row: Row, names: Names): string {
  const named = (table: NameTable, id: Row[string] | undefined) =>
    id === 0 ? (table === 'accounts' ? '"",""' : '""') : names(table, id)
  const isAccount = row.grouping === rateGroupings.account_rate
  const member = isAccount
    ? named('accounts', row.member_id)
    : `"",${named('api_names', row.member_id)}`
  return `["${isAccount ? 'account_rate' : 'client_rate'}",${[
    row.bucket_s,
    member,
    named('models', row.model_id),
    named('upstreams', row.upstream_id),
    named('providers', row.provider_id),
    row.tier,
    row.band,
    measuresIn(row),
  ].join(',')}]`
}

function measuresIn(row: Row): string {
  return measureColumns.map((column) => row[column]).join(',')
}

/** Lines of sums; those of each day and grouping are sorted by bytes. */
function sortedEach(lineOf: (row: Row) => string): TableRows['lines'] {
  return (rows) => {
    const lines = rows.map((row) => {
      const line = lineOf(row)
      return { place: `${row.grouping} ${row.bucket_s}`, bytes: Buffer.from(line), line }
    })
    const placeOrder = new Map(lines.map(({ place }, index) => [place, index]))
    return lines
      .sort(
        (one, other) =>
          (placeOrder.get(one.place) ?? 0) - (placeOrder.get(other.place) ?? 0) ||
          Buffer.compare(one.bytes, other.bytes),
      )
      .map(({ line }) => line)
  }
}

/** Reads with a cursor, so that only one page is in memory. A page ends at the end of a day and grouping. */
async function* pagesOf(
  session: Session,
  { select, lines }: TableRows,
): AsyncGenerator<readonly string[]> {
  await session.run(`DECLARE backup NO SCROLL CURSOR FOR ${select}`)
  let left: readonly Row[] = []
  for (;;) {
    const fetched = await session.rows<Row>(`FETCH ${ROWS_PER_PAGE} FROM backup`)
    const { whole, rest } = atWholeBuckets([...left, ...fetched], fetched.length > 0)
    left = rest
    yield lines(whole)
    if (fetched.length === 0) break
  }
  await session.run('CLOSE backup')
}

function atWholeBuckets(rows: readonly Row[], isMoreToCome: boolean) {
  const last = rows.at(-1)
  if (!isMoreToCome || last?.bucket_s === undefined) return { whole: rows, rest: [] }
  const end = rows.findLastIndex(
    (row) => row.bucket_s !== last.bucket_s || row.grouping !== last.grouping,
  )
  return { whole: rows.slice(0, end + 1), rest: rows.slice(end + 1) }
}

const COUNTS: Readonly<Record<Exclude<BackupTable, 'usage'>, string>> = {
  accounts: 'accounts',
  days: `rollup_86400 WHERE grouping <= ${groupings.provider}`,
  rates: `rollup_86400 WHERE grouping > ${groupings.provider}`,
  failureCauses: 'failure_causes',
  prices: 'prices',
  quotaSamples: 'quota_samples',
  capacityPoints: 'capacity_points',
  recentChanges: 'recent_changes',
  gaps: 'gaps',
  meta: `meta WHERE name IN ${KEPT_META}`,
}

async function countsOf(session: Session): Promise<Readonly<Record<BackupTable, number>>> {
  const count = async (from: string, values: readonly number[] = []) => {
    const [row] = await session.rows<{ count: number }>(
      `SELECT count(*) AS count FROM ${SCHEMA}.${from}`,
      values,
    )
    return row?.count ?? 0
  }
  const counts: Partial<Record<BackupTable, number>> = {}
  for (const table of backupTableNames)
    counts[table] = table === 'usage' ? await countDays(session, count) : await count(COUNTS[table])
  return counts as Readonly<Record<BackupTable, number>>
}

/** Counts requests day by day: one query for all could exceed the statement time-out. */
async function countDays(
  session: Session,
  count: (from: string, values: readonly number[]) => Promise<number>,
): Promise<number> {
  const [ends] = await session.rows<{ oldest: number | null; newest: number | null }>(
    `SELECT min(at_ms) AS oldest, max(at_ms) AS newest FROM ${SCHEMA}.usage`,
  )
  if (ends === undefined || ends.oldest === null || ends.newest === null) return 0
  const days = await session.rows<{ bucket_s: number }>(
    `SELECT bucket_s FROM ${SCHEMA}.rollup_86400 WHERE grouping = ${groupings.total} ORDER BY bucket_s`,
  )
  const starts = days
    .map(({ bucket_s }) => bucket_s * 1000)
    .filter((start) => start > Number(ends.oldest) && start <= Number(ends.newest))
  const bounds = [ends.oldest, ...starts, ends.newest + 1]
  let total = 0
  for (const [index, from] of bounds.slice(0, -1).entries())
    total += await count('usage WHERE at_ms >= $1 AND at_ms < $2', [
      from,
      bounds[index + 1] ?? from,
    ])
  return total
}
