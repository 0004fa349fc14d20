import { tiersOfRates } from '@svc/core/usage'
import { measureColumns, measuresOfRow, statedColumns } from '../../usage/measures.ts'
import { providerColumn, rateColumns } from '../../usage/rates.ts'
import {
  type AnyGrouping,
  allGroupings,
  DAY_TIER_SECONDS,
  groupings,
  type RateGrouping,
  rateGroupings,
} from '../../usage/tiers.ts'
import type { BackupTable } from './backup-format.ts'

/** The content of a store at one moment, in the form of a backup; valid until the callback that received it ends. */
export interface BackupSource {
  readonly schemaVersion: number
  /** Number of a table's rows. */
  count(table: BackupTable): Promise<number>
  /** Pages of a table's rows, each row as JSON, in an order that depends only on the content, not on the engine. */
  pages(table: BackupTable): Iterable<readonly string[]> | AsyncIterable<readonly string[]>
}

/** Rows from a time (inclusive) to another (exclusive), and the bucket width of the selected `days`. */
export interface TablePart {
  readonly fromMs: number
  readonly toMs: number
  readonly tierSeconds: number
}

const WHOLE: TablePart = { fromMs: 0, toMs: 9e15, tierSeconds: DAY_TIER_SECONDS }

/** SQL of the rows of a backup that differs by engine. */
export interface SourceEngine {
  /** Schema of the tables, with its dot. */
  readonly schema: string
  /** Text in the order of its bytes. */
  byBytes(column: string): string
  /** Table with the sums of a tier. */
  sumsOf(tierSeconds: number): string
  /** Sum of a column, limited to exact numbers. */
  exactSum(column: string): string
  /** Rows of a statement, as lists of values. */
  rows(sql: string): readonly SourceRow[] | Promise<readonly SourceRow[]>
}

type Value = string | number | null
export type SourceRow = readonly Value[]
type Json = (value: Value, row: SourceRow) => string

const NAME_QUERIES = {
  accounts: ['accounts', 'instance, key'],
  apiNames: ['api_names', 'name'],
  models: ['models', 'name'],
  upstreams: ['upstreams', 'name'],
  providers: ['providers', 'name'],
} as const
type NameTable = keyof typeof NAME_QUERIES
/** Names as JSON by their numbers, encoded once instead of per row. The text of an account begins with its instance. */
export type StoredNames = Readonly<Record<NameTable, ReadonlyMap<Value | undefined, string>>>

export async function readStoredNames({ schema, rows }: SourceEngine): Promise<StoredNames> {
  const all: Partial<Record<NameTable, ReadonlyMap<Value | undefined, string>>> = {}
  for (const [name, [table, columns]] of Object.entries(NAME_QUERIES)) {
    const found = await rows(`SELECT id, ${columns} FROM ${schema}${table}`)
    all[name as NameTable] = new Map(
      found.map(([id, ...names]) => [id, JSON.stringify(names).slice(1, -1)]),
    )
  }
  return all as StoredNames
}

/** Time before which sums by rate hold all requests, and from which they hold none; null if they hold all. Call inside the transaction of the backup. */
export async function ratesUntilOf({ schema, rows }: SourceEngine): Promise<number | null> {
  const [[value] = []] = await rows(`SELECT value FROM ${schema}meta WHERE name = 'rates_until_ms'`)
  return value === undefined ? null : Number(value)
}

/** A table of a backup: its rows in the store, whose order depends only on the content, not on the engine. */
export interface SourceTable {
  /** SQL of the values, with the form of their JSON before a colon if it is not that of the value. */
  readonly columns: readonly string[]
  readonly from: string
  readonly join?: string
  readonly where?: string
  readonly orderBy: readonly string[]
  /** Number of columns that make the place of a row, if lines of one place are sorted by bytes. */
  readonly placeColumns?: number
}

const META_NAMES = "('cut_ms', 'first_poll_ms', 'tiers_since_ms', 'instance', 'fingerprint_key')"

/** The tables of a store as those of a backup. `ratesUntil`: see `ratesUntilOf`. `part` limits requests, sums and capacity; other tables are always whole. */
export function sourceTables(
  engine: SourceEngine,
  ratesUntil: number | null,
  part: Partial<TablePart> = {},
): Readonly<Record<BackupTable, SourceTable>> {
  const { schema, byBytes } = engine
  const { fromMs, toMs, tierSeconds } = { ...WHOLE, ...part }
  const within = `at_ms >= ${fromMs} AND at_ms < ${toMs}`
  const stored = engine.sumsOf(tierSeconds)
  const sums = (numbers: Readonly<Record<string, number>>, from = stored) => ({
    from: `${from} s`,
    where: `s.grouping IN (${Object.values(numbers)}) AND s.bucket_s >= ${fromMs / 1000} AND s.bucket_s < ${toMs / 1000}`,
    orderBy: ['s.grouping', 's.bucket_s'],
    placeColumns: 2,
  })
  return {
    accounts: {
      columns: ['instance', 'key', 'title'],
      from: `${schema}accounts`,
      orderBy: [byBytes('instance'), byBytes('key')],
    },
    usage: {
      columns: [
        ...['at_ms', 'CAST(u.key AS text)', 'accounts:account_id', 'apiNames:api_name_id'],
        ...['models:model_id', 'tokens', 'CAST(failed AS integer)', 'upstreams:upstream_id'],
        ...['providers:provider_id', ...statedColumns],
      ],
      from: `${schema}usage u`,
      where: within,
      orderBy: ['at_ms', 'u.key'],
    },
    days: {
      columns: ['grouping:s.grouping', 's.bucket_s', 'member:s.member_id', ...measureColumns],
      ...sums(groupings),
    },
    rates: {
      columns: [
        ...['grouping:s.grouping', 's.bucket_s', 'member:c.member_id', 'models:model_id'],
        ...['upstreams:upstream_id', 'providers:provider_id', 'tier', 'band', ...measureColumns],
      ],
      join: `JOIN ${schema}cells c ON c.id = s.member_id`,
      ...sums(rateGroupings, rateSums(engine, ratesUntil, { fromMs, toMs, tierSeconds })),
    },
    failureCauses: {
      columns: [
        ...['day', 'providers:f.provider_id', 'upstreams:upstream_id', 'accounts:account_id'],
        ...['status', 'code', 'requests'],
      ],
      from: `${schema}failure_causes f`,
      join: `JOIN ${schema}causes c ON c.id = cause_id`,
      orderBy: ['day'],
      placeColumns: 1,
    },
    prices: {
      columns: [
        ...['m.name', 'tier', 'band', 'from_day', 'rate_in', 'rate_read', 'rate_write'],
        ...['rate_out', 'kind', 'sha256', 'read_at_ms'],
      ],
      from: `${schema}prices`,
      join: `JOIN ${schema}models m ON m.id = model_id JOIN ${schema}price_sources s ON s.id = source_id`,
      orderBy: [byBytes('m.name'), 'tier', 'band', 'from_day'],
    },
    quotaSamples: {
      columns: ['accounts:account_id', 'window_id', 'at_ms', 'real:percent', 'reset_at_ms'],
      from: `${schema}quota_samples`,
      join: `JOIN ${schema}accounts a ON a.id = account_id`,
      orderBy: [byBytes('a.instance'), byBytes('a.key'), byBytes('window_id'), 'at_ms'],
    },
    capacityPoints: {
      columns: [
        ...['window_id', 'at_ms', 'real:known_units', 'real:tracked_units'],
        ...['real:unknown_units', 'real:burned_units', 'real:usable_units'],
      ],
      from: `${schema}capacity_points`,
      where: within,
      orderBy: [byBytes('window_id'), 'at_ms'],
    },
    recentChanges: {
      columns: ['at_ms', 'tone', 'detail'],
      from: `${schema}recent_changes`,
      orderBy: ['at_ms', byBytes('tone'), byBytes('detail')],
    },
    gaps: {
      columns: ['from_ms', 'to_ms', 'reason', 'upstreams:upstream_id'],
      from: `${schema}gaps`,
      join: `JOIN ${schema}upstreams s ON s.id = upstream_id`,
      orderBy: ['from_ms', 'to_ms', byBytes('reason'), byBytes('s.name')],
    },
    meta: {
      columns: ['name', 'value'],
      from: `${schema}meta`,
      where: `name IN ${META_NAMES}`,
      orderBy: [byBytes('name')],
    },
  }
}

/** Sums by rate, with the requests that are not in them yet. */
function rateSums(
  { schema, sumsOf, exactSum }: SourceEngine,
  ratesUntil: number | null,
  { toMs, tierSeconds }: TablePart,
): string {
  const stored = sumsOf(tierSeconds)
  const hasRates = tiersOfRates.some(({ seconds }) => seconds === tierSeconds)
  if (ratesUntil === null || toMs <= ratesUntil || !hasRates) return stored
  const place = 'grouping, bucket_s, member_id'
  const measures = measureColumns.join(', ')
  const cells = rateColumns(`${schema}cells`, providerColumn(schema))
  const late = Object.entries(rateGroupings).map(
    ([name, number]) =>
      `SELECT ${number}, at_ms / ${tierSeconds * 1000} * ${tierSeconds}, ${cells[name as RateGrouping]}, ${measuresOfRow.join(', ')}
       FROM ${schema}usage WHERE at_ms >= ${ratesUntil}`,
  )
  const open = Math.floor(ratesUntil / 1000 / tierSeconds) * tierSeconds
  const summed = measureColumns.map((column) => `${exactSum(column)} AS ${column}`)
  return `(SELECT ${place}, ${measures} FROM ${stored} AS sums WHERE bucket_s < ${open} UNION ALL
    SELECT ${place}, ${summed.join(', ')} FROM (
      SELECT ${place}, ${measures} FROM ${stored} AS sums WHERE bucket_s >= ${open} AND grouping IN (${Object.values(rateGroupings)})
      UNION ALL ${late.join(' UNION ALL ')}) AS parts GROUP BY ${place})`
}

export function selectOf({ columns, from, join = '', where = 'true', orderBy }: SourceTable) {
  const selected = columns.map((column, index) => `${column.replace(/^\w+:/, '')} AS c${index}`)
  return `SELECT ${selected.join(', ')} FROM ${from} ${join} WHERE ${where} ORDER BY ${orderBy.join(', ')}`
}

export function countQueryOf({ from, where = 'true' }: SourceTable): string {
  return `SELECT count(*) FROM ${from} WHERE ${where}`
}

/** Table that names the members of each grouping; null for the sums of everything. */
export const memberTables: Readonly<Record<AnyGrouping, NameTable | null>> = {
  total: null,
  account: 'accounts',
  model: 'models',
  api: 'apiNames',
  upstream: 'upstreams',
  provider: 'providers',
  account_rate: 'accounts',
  client_rate: 'apiNames',
  total_rate: null,
}
const GROUPING_NAMES = new Map<Value | undefined, AnyGrouping>(
  Object.entries(allGroupings).map(([name, number]) => [number, name as AnyGrouping]),
)

/** JSON of values by their form. Names of the cell of all others are empty. */
function formsOf(names: StoredNames): Readonly<Record<string, Json>> {
  const nameIn = (of: NameTable) => (id: Value) =>
    id === null ? 'null' : (names[of].get(id) ?? (of === 'accounts' ? '"",""' : '""'))
  const tables = Object.keys(NAME_QUERIES) as readonly NameTable[]
  return {
    ...Object.fromEntries(tables.map((of) => [of, nameIn(of)])),
    grouping: (number) => `"${GROUPING_NAMES.get(number)}"`,
    /** Instance and name of a sum's member. */
    member(id, [grouping]) {
      const of = memberTables[GROUPING_NAMES.get(grouping) ?? 'total']
      if (of === null) return '"",""'
      return of === 'accounts' ? nameIn(of)(id) : `"",${nameIn(of)(id)}`
    },
    /** Shortest exact text of a floating-point number, the same for every engine and always distinct from an integer. */
    real: (value) =>
      Number.isInteger(value) && Math.abs(Number(value)) < 1e21 ? `${value}.0` : `${value}`,
  }
}

/** Makes lines of the rows of a table, page by page. Keeps those of the last place, whose lines are sorted, while more may come. */
export function lineMaker({ columns, placeColumns }: SourceTable, names: StoredNames) {
  const forms = formsOf(names)
  const texts = columns.map((column) => forms[column.split(':', 1)[0] ?? ''] ?? jsonOf)
  const lineOf = (row: SourceRow) =>
    `[${row.map((value, index) => (texts[index] ?? jsonOf)(value, row)).join(',')}]`
  const placeOf = (row: SourceRow | undefined) => row?.slice(0, placeColumns).join(' ')
  let left: readonly SourceRow[] = []
  return (page: readonly SourceRow[], isLast = false): readonly string[] => {
    if (placeColumns === undefined) return page.map(lineOf)
    const rows = [...left, ...page]
    const last = isLast ? '' : placeOf(rows.at(-1))
    const end = rows.findLastIndex((row) => placeOf(row) !== last) + 1
    left = rows.slice(end)
    const lines = rows.slice(0, end).map((row) => ({
      place: placeOf(row),
      bytes: Buffer.from(lineOf(row)),
    }))
    const order = new Map(lines.map(({ place }, index) => [place, index]))
    return lines
      .sort(
        (one, other) =>
          (order.get(one.place) ?? 0) - (order.get(other.place) ?? 0) ||
          Buffer.compare(one.bytes, other.bytes),
      )
      .map(({ bytes }) => bytes.toString())
  }
}

function jsonOf(value: Value): string {
  return typeof value === 'string' ? JSON.stringify(value) : `${value}`
}
