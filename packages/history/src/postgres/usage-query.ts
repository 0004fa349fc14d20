import type { UsagePiece } from '@svc/core/usage'
import {
  failureNumber,
  measureColumns,
  measureNames,
  measuresOfRows,
  timeColumns,
} from '../usage/measures.ts'
import {
  cellColumns,
  isLookedUp,
  memberColumns,
  providerColumn,
  RATED,
  ratedColumns,
  rateGroupingOf,
  rateNumbersOf,
} from '../usage/rates.ts'
import { type Grouping, groupings } from '../usage/tiers.ts'
import {
  type MemberBucket,
  type MemberTime,
  type MemberUsage,
  PAIR_FACTOR,
  type RowFilter,
  type Selection,
  type UsageQueries,
} from '../usage/usage-queries.ts'
import type { Session } from './session.ts'

const PROVIDER_COLUMN = providerColumn('svc_quota_monitor.')
const MEMBER_COLUMNS = memberColumns(PROVIDER_COLUMN)

/** SQL sums under the names of measures, limited to exact numbers. */
const SUMS = measureColumns
  .map(
    (column, index) =>
      `least(sum(${column}), ${Number.MAX_SAFE_INTEGER})::bigint AS "${measureNames[index]}"`,
  )
  .join(', ')

/** Queries of the usage tables. Each is one statement, in which the database adds up buckets of several widths. */
export function createUsageQueries({ rows }: Session): UsageQueries {
  return {
    async members(selection, pieces) {
      const values: unknown[] = []
      const cells = await cellCount(rows, selection)
      const options = { values, cells, index: () => '0' }
      const parts = pieces.map((piece) => partOf(selection, piece, options))
      if (parts.length === 0) return []
      return rows<MemberUsage>(
        `SELECT member AS "memberId", ${SUMS} FROM (${parts.join(' UNION ALL ')}) AS parts
         GROUP BY member HAVING sum(requests) > 0 ORDER BY member`,
        values,
      )
    },
    async buckets(selection, memberIds, pieces, { start, bucketSeconds }) {
      if (memberIds?.length === 0 || pieces.length === 0) return []
      const isChosen = memberIds !== null && !isNarrowedTo(selection, memberIds)
      const values: unknown[] = isChosen ? [memberIds] : []
      const cells = await cellCount(rows, selection)
      const members = isChosen ? { members: { list: '$1::bigint[]', count: memberIds.length } } : {}
      const index = (at: string) => `(${at} - ${whole(start)}) / ${whole(bucketSeconds * 1000)}`
      const options = { values, cells, ...members, index }
      const parts = pieces.map((piece) => partOf(selection, piece, options))
      const { names } = ratedColumns(selection)
      const found = await rows<MemberBucket & Readonly<Record<string, number>>>(
        `SELECT member AS "memberId", index, ${SUMS}${names}
         FROM (${parts.join(' UNION ALL ')}) AS parts GROUP BY member, index${names}`,
        values,
      )
      if (selection.rated === undefined) return found
      return found.map((bucket) => {
        const rate = rateNumbersOf(RATED.map((name) => bucket[name]))
        return { ...bucket, ...(rate && { rate }) }
      })
    },
    times(time, { groupings: by, filter }, { from, end }) {
      const values: unknown[] = []
      return rows<MemberTime>(
        `SELECT ${memberOf(by)} AS "memberId", at_ms AS at, ${timeColumns[time]} AS milliseconds FROM svc_quota_monitor.usage
         WHERE at_ms >= ${whole(from)} AND at_ms < ${whole(end)} AND NOT failed AND ${timeColumns[time]} IS NOT NULL${conditionsOf(filter, values)}`,
        values,
      )
    },
  }
}

/** Whether the selection alone excludes every other member. The server expects too few rows of two conditions that say the same, and plans badly. */
function isNarrowedTo({ groupings: by, filter }: Selection, memberIds: readonly number[]): boolean {
  const [grouping = 'total', other] = by
  if (other !== undefined) return false
  const given = filter.members.find((one) => one.grouping === grouping)
  return grouping === 'total' || (given?.ids.every((id) => memberIds.includes(id)) ?? false)
}

/** Number of cells that count; Infinity for all of a kind, which are never looked up, and 0 for sums that have none. */
async function cellCount(rows: Session['rows'], { source, filter }: Selection): Promise<number> {
  const rate = rateGroupingOf(source)
  if (rate === null) return 0
  if (filter.members.length === 0) return Number.POSITIVE_INFINITY
  const values: unknown[] = []
  const [found] = await rows<{ count: number }>(
    `SELECT count(*) AS count FROM svc_quota_monitor.cells WHERE kind = ${rate}${conditionsOf(filter, values, cellColumns)}`,
    values,
  )
  return found?.count ?? 0
}

interface PartOptions {
  /** Values of the statement, to which a part adds its own. */
  readonly values: unknown[]
  /** Number of cells that count. */
  readonly cells: number
  /** SQL for the index of the bucket at a time. */
  readonly index: (at: string) => string
  /** Member numbers as an SQL list; absent for all. */
  readonly members?: { readonly list: string; readonly count: number }
}

/** Statement for a piece of a span, whose measures are negative if they are to be subtracted. */
function partOf(selection: Selection, piece: UsagePiece, options: PartOptions): string {
  const { source, groupings: by, filter } = selection
  const { seconds, from, to, sign } = piece
  const { values, cells, members, index } = options
  const rate = rateGroupingOf(source)
  const chosen = (member: string) =>
    members === undefined ? '' : ` AND ${member} = ANY (${members.list})`
  if (seconds !== null) {
    const [first, end] = [inSeconds(from), inSeconds(to)]
    const count = rate === null ? (members?.count ?? Number.POSITIVE_INFINITY) : cells
    // Else a list of members is looked up in all sums of the span, once for each.
    const [steps, time] = isLookedUp(count, piece)
      ? [
          `generate_series(${first}::bigint, ${end}::bigint - 1, ${seconds}) AS step CROSS JOIN `,
          'bucket_s = step',
        ]
      : ['', `bucket_s >= ${first} AND bucket_s < ${end}`]
    const sums = `${steps}svc_quota_monitor.rollup_${seconds} AS sums WHERE ${time}`
    const measures = `${index('bucket_s * 1000')} AS index, ${measureColumns.join(', ')}`
    if (rate === null)
      return `SELECT member_id::bigint AS member, ${measures} FROM ${sums} AND grouping = ${groupings[by[0] ?? 'total']}${chosen('member_id')}`
    const member = memberOf(by, cellColumns)
    return `SELECT ${member} AS member, ${measures}${ratedColumns(selection).select} FROM svc_quota_monitor.cells AS cells CROSS JOIN ${sums}
      AND sums.grouping = ${rate} AND sums.member_id = cells.id AND cells.kind = ${rate}${conditionsOf(filter, values, cellColumns)}${chosen(member)}`
  }
  const member = memberOf(by)
  const sums = measuresOfRows.map(
    (sum, column) =>
      `${sign === 1 ? '' : '-'}least(${sum}, ${Number.MAX_SAFE_INTEGER})::bigint AS ${measureColumns[column]}`,
  )
  const rated = ratedColumns(selection, PROVIDER_COLUMN)
  // Added up at once: sums of counts take half as long again. Of the type of kept sums, which else would be converted.
  return `SELECT member, index, ${sums.join(', ')}${rated.names} FROM (
      SELECT *, ${member} AS member, ${index('at_ms')} AS index${rated.select} FROM svc_quota_monitor.usage
      WHERE at_ms >= ${whole(from)} AND at_ms < ${whole(to)}${chosen(member)}${conditionsOf(filter, values)}) AS requests
    GROUP BY member, index${rated.names}`
}

/** Number of the member, or pair of members, that a row counts for. */
function memberOf(by: readonly Grouping[], columns = MEMBER_COLUMNS): string {
  const [one = '0', other] = by.map((grouping) => `(${columns[grouping]})::bigint`)
  return other === undefined ? one : `${one} * ${PAIR_FACTOR} + ${other}`
}

/** Conditions on rows or cells; adds their values. */
function conditionsOf(
  { members, failed, failures }: RowFilter,
  values: unknown[],
  columns = MEMBER_COLUMNS,
): string {
  const conditions = members.map(
    ({ grouping, ids }) => ` AND ${columns[grouping]} = ANY ($${values.push(ids)}::int[])`,
  )
  if (failed !== undefined) conditions.push(` AND ${failed ? '' : 'NOT '}failed`)
  if (failures !== undefined)
    conditions.push(` AND failure = ANY ($${values.push(failures.map(failureNumber))}::int[])`)
  return conditions.join('')
}

/** A time as literal SQL, so that the statement is planned for it and reads only the days it touches. */
function whole(milliseconds: number): string {
  return BigInt(milliseconds).toString()
}

function inSeconds(milliseconds: number): string {
  return whole(Math.ceil(milliseconds / 1000))
}
