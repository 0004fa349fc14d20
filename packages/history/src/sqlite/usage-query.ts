import type { EpochMs } from '@svc/core'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import { OTHER_ACCOUNT, type UsagePiece } from '@svc/core/usage'
import type { Database, Statement } from '@svc/sqlite'
import {
  failureNumber,
  measureColumns,
  measureNames,
  measuresOf,
  measuresOfRow,
  timeColumns,
} from '../usage/measures.ts'
import {
  cellColumns,
  isLookedUp,
  ratedColumns,
  rateGroupingOf,
  rateNumbersOf,
} from '../usage/rates.ts'
import { type Grouping, groupings } from '../usage/tiers.ts'
import {
  type MemberBucket,
  PAIR_FACTOR,
  type RowFilter,
  type Selection,
  type UsageQueries,
} from '../usage/usage-queries.ts'

/** Provider of a row, or the one that `providerOfUsage` assumes if the row has none. */
export const PROVIDER_COLUMN = `coalesce(provider_id, (SELECT p.id FROM accounts a JOIN providers p
  ON p.name = CASE WHEN a.key LIKE '${OTHER_ACCOUNT}%' THEN substr(a.key, ${OTHER_ACCOUNT.length + 1}) ELSE '${ASSUMED_PROVIDER}' END WHERE a.id = account_id))`

const MEMBER_COLUMNS: Readonly<Record<Grouping, string>> = {
  total: '0',
  account: 'account_id',
  model: 'model_id',
  api: 'api_name_id',
  upstream: 'upstream_id',
  provider: PROVIDER_COLUMN,
}

/** Sums over rows, limited to exact numbers; SQLite's `sum` would fail beyond 63 bits. */
const sumsOf = (values: readonly string[]) =>
  values.map((value) => `min(total(${value}), ${Number.MAX_SAFE_INTEGER})`).join(', ')

export function createUsageQueries(db: Database): UsageQueries {
  const prepared = preparedIn(db)
  return {
    async members(selection, pieces) {
      const cells = cellCount(prepared, selection)
      const sumOfMember = new Map<number, number[]>()
      for (const { sign, ...piece } of pieces) {
        const rows =
          piece.seconds === null
            ? rowSums(prepared, selection, piece)
            : keptSums(prepared, keptIn(selection, { ...piece, sign }, cells))
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
      const cells = cellCount(prepared, selection)
      const asked = {
        ids: memberIds && JSON.stringify(memberIds),
        start,
        bucketMs: bucketSeconds * 1000,
      }
      return pieces.flatMap(({ sign, ...piece }) => {
        const rows =
          piece.seconds === null
            ? rowBuckets(prepared, selection, piece, asked)
            : keptBuckets(prepared, keptIn(selection, { ...piece, sign }, cells), asked)
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

/** Returns prepared statements, each prepared at its first use; rows come as lists. */
function preparedIn(db: Database): Prepared {
  const statements = new Map<string, Statement>()
  return (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(sql).raw()
    statements.set(sql, statement)
    return statement
  }
}

type Stretch = Pick<UsagePiece, 'from' | 'to'>

function rowSums(
  prepared: Prepared,
  { groupings, filter }: Selection,
  { from, to }: Stretch,
): readonly Numbers[] {
  const only = conditionsOf(filter)
  return prepared(
    `SELECT ${memberOf(groupings)} AS member, ${sumsOf(measuresOfRow)} FROM usage WHERE at_ms >= ? AND at_ms < ?${only.sql} GROUP BY member`,
  ).all(from, to, ...only.values) as Numbers[]
}

/** Kept sums of a piece of a span, as parts of a statement. */
interface Kept {
  /** Whether a member has one sum a bucket. */
  readonly isSingle: boolean
  readonly member: string
  /** Columns of its rate. */
  readonly rate: ReturnType<typeof ratedColumns>
  readonly head: string
  readonly from: string
  readonly values: readonly (string | number)[]
}

const NOT_RATED = { select: '', names: '' }
const OF_TIER = 'rollups.grouping = ? AND tier_seconds = ?'

function keptIn(selection: Selection, piece: UsagePiece, cells: number): Kept {
  const { source, groupings: by, filter } = selection
  const { seconds, from, to } = piece
  const [first, end] = [from / 1000, to / 1000]
  const rate = rateGroupingOf(source)
  const tier = [rate ?? groupings[by[0] ?? 'total'], seconds ?? 0]
  const inSpan = `${OF_TIER} AND bucket_s >= ? AND bucket_s < ?`
  if (rate === null)
    return {
      ...{ isSingle: true, member: 'member_id', head: '', rate: NOT_RATED },
      from: `rollups WHERE ${inSpan}`,
      values: [...tier, first, end],
    }
  const only = conditionsOf(filter, cellColumns)
  const sums = {
    ...{ isSingle: false, member: memberOf(by, cellColumns) },
    rate: ratedColumns(selection),
  }
  // CROSS JOIN keeps the order of the tables.
  if (!isLookedUp(cells, piece))
    return {
      ...{ ...sums, head: '' },
      from: `rollups CROSS JOIN cells ON cells.id = rollups.member_id WHERE ${inSpan}${only.sql}`,
      values: [...tier, first, end, ...only.values],
    }
  return {
    ...sums,
    head: 'WITH RECURSIVE steps (start) AS (SELECT ? WHERE ? < ? UNION ALL SELECT start + ? FROM steps WHERE start + ? < ?)',
    from: `cells CROSS JOIN steps CROSS JOIN rollups ON rollups.member_id = cells.id AND bucket_s = start
      WHERE cells.kind = rollups.grouping AND cells.kind = ? AND ${OF_TIER}${only.sql}`,
    values: [
      first,
      first,
      end,
      ...[seconds, seconds].map(Number),
      end,
      rate,
      ...tier,
      ...only.values,
    ],
  }
}

/** Number of cells that count; 0 for sums that have none. */
function cellCount(prepared: Prepared, { source, filter }: Selection): number {
  const rate = rateGroupingOf(source)
  if (rate === null) return 0
  const only = conditionsOf(filter, cellColumns)
  const statement = prepared(`SELECT count(*) FROM cells WHERE kind = ?${only.sql}`)
  const [found] = statement.all(rate, ...only.values) as readonly [number][]
  return found?.[0] ?? 0
}

function keptSums(prepared: Prepared, { member, head, from, values }: Kept): readonly Numbers[] {
  return prepared(
    `${head} SELECT ${member} AS member, ${sumsOf(measureColumns)} FROM ${from} GROUP BY member`,
  ).all(...values) as Numbers[]
}

/** Parameters of a query of buckets: members as a JSON list (null: all, of rows alone), first start and width. */
interface BucketQuery {
  readonly ids: string | null
  readonly start: number
  readonly bucketMs: number
}

function rowBuckets(
  prepared: Prepared,
  selection: Selection,
  { from, to }: Stretch,
  { ids, start, bucketMs }: BucketQuery,
): readonly MemberBucket[] {
  const { groupings, filter } = selection
  const only = conditionsOf(filter)
  const rate = ratedColumns(selection, PROVIDER_COLUMN)
  const rows = prepared(
    `SELECT ${memberOf(groupings)} AS member, (at_ms - cast(? AS INTEGER)) / cast(? AS INTEGER) AS bucket, ${sumsOf(measuresOfRow)}${rate.select}
     FROM usage WHERE at_ms >= ? AND at_ms < ?${ids === null ? '' : ' AND member IN (SELECT value FROM json_each(?))'}${only.sql} GROUP BY member, bucket${rate.names}`,
  ).all(start, bucketMs, from, to, ...(ids === null ? [] : [ids]), ...only.values) as BucketRow[]
  return rows.map((row) => bucketOf(row, row[1]))
}

function keptBuckets(
  prepared: Prepared,
  { isSingle, member, rate, head, from, values }: Kept,
  { ids, start, bucketMs }: BucketQuery,
): readonly MemberBucket[] {
  const ofMembers =
    ids === null ? from : `${from} AND ${member} IN (SELECT value FROM json_each(?))`
  const all = ids === null ? values : [...values, ids]
  // Sums of one member each are added up here, which is faster.
  if (isSingle) {
    const points = prepared(
      `SELECT member_id, bucket_s, ${measureColumns.join(', ')} FROM ${ofMembers}`,
    ).all(...all) as BucketRow[]
    return points.map((row) => bucketOf(row, Math.floor((row[1] * 1000 - start) / bucketMs)))
  }
  const rows = prepared(
    `${head} SELECT ${member} AS member, (bucket_s * 1000 - ${BigInt(start)}) / ${BigInt(bucketMs)} AS bucket, ${sumsOf(measureColumns)}${rate.select}
     FROM ${ofMembers} GROUP BY member, bucket${rate.names}`,
  ).all(...all) as BucketRow[]
  return rows.map((row) => bucketOf(row, row[1]))
}

/** Row of a bucket; the second element is the number of the bucket or its start in seconds. */
type BucketRow = readonly [memberId: number, bucket: number, ...measures: number[]]

function bucketOf(row: BucketRow, index: number): MemberBucket {
  const rate = rateNumbersOf(row.slice(2 + measureNames.length))
  return Object.assign(measuresOf(row.slice(2)), { memberId: row[0], index }, rate && { rate })
}

type Numbers = readonly [memberId: number, ...measures: number[]]
