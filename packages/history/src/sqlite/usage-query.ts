import type { EpochMs } from '@svc/core'
import type { UsagePiece } from '@svc/core/usage'
import type { Database, Statement } from '@svc/sqlite'
import {
  addedColumns,
  addRow,
  failureNumber,
  measureColumns,
  measureNames,
  measuresOf,
  timeColumns,
} from '../usage/measures.ts'
import {
  cellColumns,
  isLookedUp,
  memberColumns,
  providerColumn,
  ratedColumns,
  rateGroupingOf,
  rateNumbersOf,
} from '../usage/rates.ts'
import { type Grouping, groupings } from '../usage/tiers.ts'
import {
  type MemberBucket,
  PAIR_FACTOR,
  type PricedNumbers,
  type RowFilter,
  type Selection,
  type UsageQueries,
} from '../usage/usage-queries.ts'
import { preparedIn } from './connection.ts'

const PROVIDER_COLUMN = providerColumn('')
const MEMBER_COLUMNS = memberColumns(PROVIDER_COLUMN)

/** Sums over rows, limited to exact numbers; SQLite's `sum` would fail beyond 63 bits. */
const sumsOf = (values: readonly string[]) =>
  values.map((value) => `min(total(${value}), ${Number.MAX_SAFE_INTEGER})`).join(', ')

export function createUsageQueries(db: Database): UsageQueries {
  // Rows come as lists.
  const prepared = preparedIn((sql) => db.prepare(sql).raw())
  const eachRow = eachRowIn(db, prepared)
  return {
    async members(selection, pieces) {
      const cells = cellsIn(prepared, selection, null)
      const sumOfMember = new Map<number, number[]>()
      for (const { sign, ...piece } of pieces) {
        const rows =
          piece.seconds === null
            ? rowSums(eachRow, selection, piece)
            : cells !== null
              ? cellSums(eachRow, cells, { ...piece, sign })
              : keptSums(prepared, keptIn(selection, piece))
        for (const [memberId, ...counts] of rows) {
          const sum = sumOfMember.get(memberId) ?? counts.map(() => 0)
          sumOfMember.set(memberId, sum)
          for (const [index, count] of counts.entries())
            sum[index] = (sum[index] ?? 0) + sign * count
        }
      }
      return [...sumOfMember].flatMap(([memberId, sum]) => {
        const counts = measuresOf(sum)
        return counts.requests > 0 ? [{ memberId, ...counts }] : []
      })
    },
    async buckets(selection, memberIds, pieces, { start, bucketSeconds }) {
      const cells = cellsIn(prepared, selection, memberIds)
      const asked = {
        ids: memberIds && JSON.stringify(memberIds),
        start,
        bucketMs: bucketSeconds * 1000,
      }
      return pieces.flatMap(({ sign, ...piece }) => {
        const rows =
          piece.seconds === null
            ? rowBuckets(eachRow, selection, piece, asked)
            : cells !== null
              ? cellBuckets(eachRow, cells, { ...piece, sign }, asked)
              : keptBuckets(prepared, keptIn(selection, piece), asked)
        return sign === 1 ? rows : rows.map(negated)
      })
    },
    async times(time, { groupings, filter }, { from, end }) {
      const only = conditionsOf(filter)
      const rows = prepared(
        `SELECT ${memberOf(groupings)}, at_ms, ${timeColumns[time]} FROM usage
         WHERE at_ms >= ? AND at_ms < ? AND failed = 0 AND ${timeColumns[time]} IS NOT NULL${only.sql}`,
      ).all(from, end, ...only.values) as [memberId: number, at: EpochMs, milliseconds: number][]
      return rows.map(([memberId, at, milliseconds]) => ({ memberId, at, milliseconds }))
    },
  }
}

function negated(bucket: MemberBucket): MemberBucket {
  return { ...bucket, ...measuresOf(measureNames.map((name) => -bucket[name])) }
}

/** Number of the member, or pair of members, that a row counts for. */
function memberOf(groupings: readonly Grouping[], columns = MEMBER_COLUMNS): string {
  const [one = '0', other] = groupings.map((grouping) => columns[grouping])
  return other === undefined ? one : `${one} * ${PAIR_FACTOR} + ${other}`
}

/** Conditions on rows or cells, and their values. */
function conditionsOf({ members, failed, failures }: RowFilter, columns = MEMBER_COLUMNS) {
  const conditions = members.map(
    ({ grouping }) => ` AND ${columns[grouping]} IN (SELECT value FROM json_each(?))`,
  )
  if (failed !== undefined) conditions.push(` AND failed = ${failed ? 1 : 0}`)
  if (failures !== undefined) conditions.push(` AND failure IN (${failures.map(failureNumber)})`)
  return { sql: conditions.join(''), values: members.map(({ ids }) => JSON.stringify(ids)) }
}

type Prepared = (sql: string) => Statement

type Stretch = Pick<UsagePiece, 'from' | 'to'>

/** Passes each row of a statement to `take`, which takes a third of the time that a list of them would. */
type EachRow = (
  take: (row: number[]) => void,
  columns: string,
  from: string,
  values: readonly unknown[],
) => void

function eachRowIn(db: Database, prepared: Prepared): EachRow {
  let taken: (row: number[]) => void
  db.function('each_row', { varargs: true }, (...row: number[]) => {
    taken(row)
    return null
  })
  return (take, columns, from, values) => {
    taken = take
    prepared(`SELECT count(each_row(${columns})) FROM ${from}`).get(...values)
  }
}

/** Sums of rows by these columns, added up here: SQLite would sort the rows by them first, which takes twice as long and more. */
function sumsBy(
  eachRow: EachRow,
  columns: readonly string[],
  where: string,
  values: readonly unknown[],
): Iterable<{ readonly by: readonly number[]; readonly sum: number[] }> {
  const sums = new Map<
    number | string,
    { readonly by: readonly number[]; readonly sum: number[] }
  >()
  const { length } = columns
  const add = (row: number[]) => {
    const key = length === 1 ? (row[0] ?? 0) : row.slice(0, length).join(' ')
    let found = sums.get(key)
    if (found === undefined) {
      found = { by: row.slice(0, length), sum: measureNames.map(() => 0) }
      sums.set(key, found)
    }
    addRow(found.sum, row, length)
  }
  eachRow(add, `${columns.join(', ')}, ${addedColumns}`, `usage WHERE ${where}`, values)
  for (const { sum } of sums.values())
    for (const [index, amount] of sum.entries())
      if (amount > Number.MAX_SAFE_INTEGER) sum[index] = Number.MAX_SAFE_INTEGER
  return sums.values()
}

function rowSums(
  eachRow: EachRow,
  { groupings, filter }: Selection,
  { from, to }: Stretch,
): readonly Numbers[] {
  const only = conditionsOf(filter)
  const where = `at_ms >= ? AND at_ms < ?${only.sql}`
  const sums = sumsBy(eachRow, [memberOf(groupings)], where, [from, to, ...only.values])
  return Array.from(sums, ({ by: [memberId = 0], sum }) => [memberId, ...sum])
}

const OF_TIER = 'grouping = ? AND tier_seconds = ?'
const IN_SPAN = `${OF_TIER} AND bucket_s >= ? AND bucket_s < ?`

/** Values of `IN_SPAN` for the kept sums of a piece of a span. */
function keptIn(
  { groupings: [by = 'total'] }: Selection,
  { seconds, from, to }: Omit<UsagePiece, 'sign'>,
): readonly number[] {
  return [groupings[by], seconds ?? 0, from / 1000, to / 1000]
}

function keptSums(prepared: Prepared, values: readonly number[]): readonly Numbers[] {
  return prepared(
    `SELECT member_id, ${sumsOf(measureColumns)} FROM rollups WHERE ${IN_SPAN} GROUP BY member_id`,
  ).all(...values) as Numbers[]
}

/** Cells that count, by their number. */
interface Cells {
  readonly kind: number
  readonly byId: ReadonlyMap<number, CountedCell>
  /** Whether no cell of the kind is left out. */
  readonly isWhole: boolean
}

/** What the sums of a cell count for. */
interface CountedCell {
  /** Number of the member and rate. */
  readonly place: number
  readonly memberId: number
  readonly rate: PricedNumbers | null
}

/** Cells of a selection and of these members, or of all if null; null for sums that have none. */
function cellsIn(
  prepared: Prepared,
  selection: Selection,
  memberIds: readonly number[] | null,
): Cells | null {
  const { source, groupings: by, filter } = selection
  const kind = rateGroupingOf(source)
  if (kind === null) return null
  const only = conditionsOf(filter, cellColumns)
  const ofMembers = memberIds === null ? '' : ' AND member IN (SELECT value FROM json_each(?))'
  const found = prepared(
    `SELECT id, ${memberOf(by, cellColumns)} AS member${ratedColumns(selection).select} FROM cells WHERE kind = ?${only.sql}${ofMembers}`,
  ).all(kind, ...only.values, ...(memberIds === null ? [] : [JSON.stringify(memberIds)]))
  const places = new Map<string, number>()
  const byId = new Map<number, CountedCell>()
  for (const [id, memberId, ...rate] of found as (readonly [number, number, ...number[]])[]) {
    const key = `${memberId} ${rate}`
    const place = places.get(key) ?? places.size
    places.set(key, place)
    byId.set(id, { place, memberId, rate: rateNumbersOf(rate) })
  }
  return { kind, byId, isWhole: only.sql === '' && memberIds === null }
}

/** More than any span has. */
const BUCKETS_MAX = 2 ** 20

/** Sums of cells, added up here, which takes half of the time that a join would. */
function cellBuckets(
  eachRow: EachRow,
  { kind, byId, isWhole }: Cells,
  piece: UsagePiece,
  { start, bucketMs }: Pick<BucketQuery, 'start' | 'bucketMs'>,
): readonly MemberBucket[] {
  const { seconds, from, to } = piece
  const [first, end] = [from / 1000, to / 1000]
  const tier = [kind, seconds ?? 0]
  const ids = JSON.stringify([...byId.keys()])
  const columns = `rollups.member_id, bucket_s, ${measureColumns.join(', ')}`
  const sums = new Map<number, { readonly cell: CountedCell; readonly row: number[] }>()
  const add = (row: number[]) => {
    const cell = byId.get(row[0] ?? 0)
    if (cell === undefined) return
    row[1] = Math.floor(((row[1] ?? 0) * 1000 - start) / bucketMs)
    const key = cell.place * BUCKETS_MAX + row[1]
    const sum = sums.get(key)?.row
    if (sum === undefined) sums.set(key, { cell, row })
    else
      for (let index = 2; index < row.length; index += 1)
        sum[index] = Math.min((sum[index] ?? 0) + (row[index] ?? 0), Number.MAX_SAFE_INTEGER)
  }
  // Bucket by bucket, as they are stored.
  if (!isWhole && isLookedUp(byId.size, piece))
    eachRow(
      add,
      columns,
      `(WITH RECURSIVE steps (start) AS (SELECT ? WHERE ? < ? UNION ALL SELECT start + ? FROM steps WHERE start + ? < ?)
       SELECT start, cell.value AS cell FROM steps CROSS JOIN json_each(?) AS cell) CROSS JOIN rollups ON member_id = cell AND bucket_s = start WHERE ${OF_TIER}`,
      [first, first, end, seconds ?? 0, seconds ?? 0, end, ids, ...tier],
    )
  else {
    const ofCells = isWhole ? '' : ' AND member_id IN (SELECT value FROM json_each(?))'
    const values = [...tier, first, end, ...(isWhole ? [] : [ids])]
    eachRow(add, columns, `rollups WHERE ${IN_SPAN}${ofCells}`, values)
  }
  return [...sums.values()].map(({ cell: { memberId, rate }, row }) =>
    Object.assign(
      measuresOf(row.slice(2)),
      { memberId, index: row[1] ?? 0 },
      rate === null ? null : { rate },
    ),
  )
}

/** Sums of each member over a whole piece. */
function cellSums(eachRow: EachRow, cells: Cells, piece: UsagePiece): readonly Numbers[] {
  const whole = { start: piece.from, bucketMs: Number.MAX_SAFE_INTEGER }
  return cellBuckets(eachRow, cells, piece, whole).map(({ memberId, ...usage }) => [
    memberId,
    ...measureNames.map((name) => usage[name]),
  ])
}

/** Parameters of a query of buckets: members as a JSON list (null: all, of rows alone), first start and width. */
interface BucketQuery {
  readonly ids: string | null
  readonly start: number
  readonly bucketMs: number
}

function rowBuckets(
  eachRow: EachRow,
  selection: Selection,
  { from, to }: Stretch,
  { ids, start, bucketMs }: BucketQuery,
): readonly MemberBucket[] {
  const only = conditionsOf(selection.filter)
  const member = memberOf(selection.groupings)
  const columns = [
    member,
    '(at_ms - cast(? AS INTEGER)) / cast(? AS INTEGER)',
    ...ratedColumns(selection, PROVIDER_COLUMN).columns,
  ]
  const ofMembers = ids === null ? '' : ` AND ${member} IN (SELECT value FROM json_each(?))`
  // SQLite looks at the conditions in this order, and few rows meet those of the filter.
  const where = `at_ms >= ? AND at_ms < ?${only.sql}${ofMembers}`
  const values = [start, bucketMs, from, to, ...only.values, ...(ids === null ? [] : [ids])]
  return Array.from(
    sumsBy(eachRow, columns, where, values),
    ({ by: [memberId = 0, index = 0, ...rated], sum }) => {
      const rate = rateNumbersOf(rated)
      return Object.assign(measuresOf(sum), { memberId, index }, rate && { rate })
    },
  )
}

/** Buckets of sums, of which a member has one in each. They are added up here, which is faster. */
function keptBuckets(
  prepared: Prepared,
  values: readonly number[],
  { ids, start, bucketMs }: BucketQuery,
): readonly MemberBucket[] {
  const ofMembers = ids === null ? '' : ' AND member_id IN (SELECT value FROM json_each(?))'
  const points = prepared(
    `SELECT member_id, bucket_s, ${measureColumns.join(', ')} FROM rollups WHERE ${IN_SPAN}${ofMembers}`,
  ).all(...values, ...(ids === null ? [] : [ids])) as (readonly [
    memberId: number,
    startSeconds: number,
    ...measures: number[],
  ])[]
  return points.map(([memberId, startSeconds, ...measures]) => {
    const index = Math.floor((startSeconds * 1000 - start) / bucketMs)
    return Object.assign(measuresOf(measures), { memberId, index })
  })
}

type Numbers = readonly [memberId: number, ...measures: number[]]
