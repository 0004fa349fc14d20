import { ASSUMED_PROVIDER } from '@svc/core/service'
import { OTHER_ACCOUNT } from '@svc/core/usage'
import { measureColumns, measureNames, measuresOfRow, timeColumns } from '../usage/measures.ts'
import type { MemberBucket, MemberTime, MemberUsage, UsageQueries } from '../usage/stored-usage.ts'
import { bucketCoverOf, coverOf, type Grouping, groupings, type Tier } from '../usage/tiers.ts'
import type { Session } from './session.ts'

/** Provider of a row, or the one that `providerOfUsage` assumes if the row has none. */
export const PROVIDER_COLUMN = `coalesce(provider_id, (SELECT p.id FROM svc_quota_monitor.accounts AS a JOIN svc_quota_monitor.providers AS p
  ON p.name = CASE WHEN a.key LIKE '${OTHER_ACCOUNT}%' THEN substr(a.key, ${OTHER_ACCOUNT.length + 1}) ELSE '${ASSUMED_PROVIDER}' END WHERE a.id = account_id))`

export const MEMBER_COLUMNS: Readonly<Record<Grouping, string>> = {
  total: '0',
  account: 'account_id',
  model: 'model_id',
  api: 'api_name_id',
  upstream: 'upstream_id',
  provider: PROVIDER_COLUMN,
}

/** Sums of usage rows, in the order of `measureColumns`; not limited to exact numbers. */
export const SUMS_OF_ROWS: readonly string[] = measuresOfRow.map(
  (value) => `coalesce(sum(${value}), 0)`,
)

/** SQL sums under the names of measures, limited to exact numbers. */
const SUMS = measureColumns
  .map(
    (column, index) =>
      `least(sum(${column}), ${Number.MAX_SAFE_INTEGER})::bigint AS "${measureNames[index]}"`,
  )
  .join(', ')

/** Queries of the usage tables. Each is one statement, in which the database adds up buckets of several widths. */
export function createUsageQueries({ rows }: Session): UsageQueries {
  const summed = (parts: readonly string[], values?: readonly unknown[]) =>
    rows<MemberUsage>(
      `SELECT member AS "memberId", ${SUMS} FROM (${parts.join(' UNION ALL ')}) AS parts
       GROUP BY member HAVING sum(requests) > 0 ORDER BY member`,
      values,
    )
  return {
    async members(grouping, from, to, providerIds) {
      if (providerIds !== undefined)
        return summed([rowsOf(grouping, { from, to, providers: '$1::int[]' })], [providerIds])
      const cover = coverOf(from, to)
      const parts = cover.runs.map((run) => rollupsOf(grouping, run))
      if (cover.rowsFrom < cover.rowsTo)
        parts.push(rowsOf(grouping, { from: cover.rowsFrom, to: cover.rowsTo }))
      if (cover.tooMuchTo > to)
        parts.push(rowsOf(grouping, { from: to, to: cover.tooMuchTo, sign: '-' }))
      return parts.length === 0 ? [] : summed(parts)
    },
    async buckets(grouping, memberIds, { from, to, bucketSeconds }, providerIds) {
      if (memberIds.length === 0) return []
      const { tier, tooMuchTo } = bucketCoverOf(bucketSeconds, to)
      const members = '$1::int[]'
      const parts =
        providerIds === undefined
          ? [rollupsOf(grouping, { tier, from, to, members })]
          : [rowsOf(grouping, { from, to, members, providers: '$2::int[]' })]
      if (providerIds === undefined && tooMuchTo > to)
        parts.push(rowsOf(grouping, { from: to, to: tooMuchTo, sign: '-', members }))
      return rows<MemberBucket>(
        `SELECT member AS "memberId", (at_ms - ${whole(from)}) / ${whole(bucketSeconds * 1000)} AS index, ${SUMS}
         FROM (${parts.join(' UNION ALL ')}) AS parts GROUP BY member, index`,
        providerIds === undefined ? [memberIds] : [memberIds, providerIds],
      )
    },
    times: (time, grouping, from, to, providerIds) =>
      rows<MemberTime>(
        `SELECT ${MEMBER_COLUMNS[grouping]} AS "memberId", at_ms AS at, ${timeColumns[time]} AS milliseconds FROM svc_quota_monitor.usage
         WHERE at_ms >= ${whole(from)} AND at_ms < ${whole(to)} AND NOT failed AND ${timeColumns[time]} IS NOT NULL${providerIds === undefined ? '' : ofProviders('$1::int[]')}`,
        providerIds && [providerIds],
      ),
  }
}

interface Part {
  /** In milliseconds; `to` is exclusive. */
  readonly from: number
  readonly to: number
  /** Member numbers as an SQL list; absent for all members. */
  readonly members?: string
  /** Provider numbers as an SQL list; absent for all providers. */
  readonly providers?: string
}

function rollupsOf(
  grouping: Grouping,
  { tier, from, to, members }: Part & { readonly tier: Tier },
): string {
  const ofMembers = members === undefined ? '' : ` AND member_id = ANY (${members})`
  return `SELECT member_id AS member, bucket_s * 1000 AS at_ms, ${measureColumns.join(', ')} FROM svc_quota_monitor.rollup_${tier.seconds}
    WHERE grouping = ${groupings[grouping]} AND bucket_s >= ${seconds(from)} AND bucket_s < ${seconds(to)}${ofMembers}`
}

/** Statement for single rows; their measures are negative if they are to be subtracted. */
function rowsOf(
  grouping: Grouping,
  { from, to, members, providers, sign = '' }: Part & { readonly sign?: '' | '-' },
): string {
  const member = MEMBER_COLUMNS[grouping]
  const ofMembers = members === undefined ? '' : ` AND ${member} = ANY (${members})`
  const ofAsked = providers === undefined ? '' : ofProviders(providers)
  return `SELECT ${member} AS member, at_ms, ${measuresOfRow.map((value, index) => `${sign}(${value}) AS ${measureColumns[index]}`).join(', ')} FROM svc_quota_monitor.usage
    WHERE at_ms >= ${whole(from)} AND at_ms < ${whole(to)}${ofMembers}${ofAsked}`
}

const ofProviders = (ids: string) => ` AND ${PROVIDER_COLUMN} = ANY (${ids})`

/** A time as literal SQL, so that the statement is planned for it and reads only the days it touches. */
function whole(milliseconds: number): string {
  return BigInt(milliseconds).toString()
}

function seconds(milliseconds: number): string {
  return whole(Math.ceil(milliseconds / 1000))
}
