import type { EpochMs } from '@svc/core'
import { ASSUMED_PROVIDER } from '@svc/core/service'
import { OTHER_ACCOUNT, type UsageCounts } from '@svc/core/usage'
import type { Database, Statement } from '@svc/sqlite'
import {
  measureColumns,
  measureNames,
  measuresOf,
  measuresOfRow,
  timeColumns,
} from '../usage/measures.ts'
import type { MemberBucket, UsageQueries } from '../usage/stored-usage.ts'
import {
  type BucketRun,
  bucketCoverOf,
  coverOf,
  type Grouping,
  groupings,
  type Tier,
} from '../usage/tiers.ts'

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
  const sums = createMemberSums(prepared)
  const buckets = createBucketSums(prepared)
  return {
    async members(grouping, from, to, providerIds) {
      const cover =
        providerIds === undefined
          ? coverOf(from, to)
          : { rowsFrom: from, rowsTo: to, runs: [], tooMuchTo: to }
      const sumOfMember = new Map<number, number[]>()
      const add = (rows: readonly Numbers[], sign: 1 | -1) => {
        for (const [memberId, ...counts] of rows) {
          const sum = sumOfMember.get(memberId)
          if (sum === undefined)
            sumOfMember.set(
              memberId,
              counts.map((count) => sign * count),
            )
          else
            for (const [index, count] of counts.entries())
              sum[index] = (sum[index] ?? 0) + sign * count
        }
      }
      if (cover.rowsFrom < cover.rowsTo)
        add(sums.ofRows(grouping, cover.rowsFrom, cover.rowsTo, providerIds), 1)
      for (const run of cover.runs) add(sums.ofRollups(grouping, run), 1)
      if (cover.tooMuchTo > to) add(sums.ofRows(grouping, to, cover.tooMuchTo), -1)
      return [...sumOfMember].flatMap(([memberId, sum]) => {
        const counts = measuresOf(sum)
        return counts.requests > 0 ? [{ memberId, ...counts }] : []
      })
    },
    async buckets(grouping, memberIds, { from, to, bucketSeconds }, providerIds) {
      const { tier, tooMuchTo } = bucketCoverOf(bucketSeconds, to)
      const asked = {
        grouping,
        ids: JSON.stringify(memberIds),
        from,
        bucketMs: bucketSeconds * 1000,
      }
      if (providerIds !== undefined) return buckets.ofRows(asked, from, to, providerIds)
      const found = buckets.ofRollups(asked, tier, to)
      if (tooMuchTo <= to) return found
      const tooMuch = buckets
        .ofRows(asked, to, tooMuchTo)
        .map(({ memberId, index, ...counts }) => ({
          memberId,
          index,
          ...negated(counts),
        }))
      return [...found, ...tooMuch]
    },
    async times(time, grouping, from, to, providerIds) {
      const only = onlyOf(providerIds)
      const rows = prepared(
        `SELECT ${MEMBER_COLUMNS[grouping]}, at_ms, ${timeColumns[time]} FROM usage
         WHERE at_ms >= ? AND at_ms < ? AND failed = 0 AND ${timeColumns[time]} IS NOT NULL${only.sql}`,
      ).all(from, to, ...only.values) as [memberId: number, at: EpochMs, milliseconds: number][]
      return rows.map(([memberId, at, milliseconds]) => ({ memberId, at, milliseconds }))
    },
  }
}

function negated(counts: UsageCounts): UsageCounts {
  return measuresOf(measureNames.map((name) => -counts[name]))
}

/** Condition on rows that limits them to some providers. */
function onlyOf(providerIds?: readonly number[]) {
  return providerIds === undefined
    ? { sql: '', values: [] }
    : {
        sql: ` AND ${PROVIDER_COLUMN} IN (SELECT value FROM json_each(?))`,
        values: [JSON.stringify(providerIds)],
      }
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

function createMemberSums(prepared: Prepared) {
  return {
    ofRows(
      grouping: Grouping,
      from: number,
      to: number,
      providerIds?: readonly number[],
    ): readonly Numbers[] {
      const only = onlyOf(providerIds)
      return prepared(
        `SELECT ${MEMBER_COLUMNS[grouping]} AS member, ${sumsOf(measuresOfRow)} FROM usage WHERE at_ms >= ? AND at_ms < ?${only.sql} GROUP BY member`,
      ).all(from, to, ...only.values) as Numbers[]
    },
    ofRollups: (grouping: Grouping, { tier, from, to }: BucketRun): readonly Numbers[] =>
      prepared(
        `SELECT member_id, ${sumsOf(measureColumns)} FROM rollups
       WHERE grouping = ? AND tier_seconds = ? AND bucket_s >= ? AND bucket_s < ? GROUP BY member_id`,
      ).all(groupings[grouping], tier.seconds, from / 1000, to / 1000) as Numbers[],
  }
}

/** Parameters of a query of buckets: members as a JSON list, first start and width. */
interface BucketQuery {
  readonly grouping: Grouping
  readonly ids: string
  readonly from: number
  readonly bucketMs: number
}

function createBucketSums(prepared: Prepared) {
  return {
    ofRows(
      { grouping, ids, from, bucketMs }: BucketQuery,
      start: number,
      end: number,
      providerIds?: readonly number[],
    ) {
      const only = onlyOf(providerIds)
      const rows = prepared(
        `SELECT ${MEMBER_COLUMNS[grouping]} AS member, (at_ms - cast(? AS INTEGER)) / cast(? AS INTEGER) AS bucket, ${sumsOf(measuresOfRow)}
             FROM usage WHERE at_ms >= ? AND at_ms < ? AND member IN (SELECT value FROM json_each(?))${only.sql} GROUP BY member, bucket`,
      ).all(from, bucketMs, start, end, ids, ...only.values) as BucketRow[]
      return rows.map((row) => bucketOf(row, row[1]))
    },
    ofRollups({ grouping, ids, from, bucketMs }: BucketQuery, tier: Tier, to: number) {
      const points = prepared(
        `SELECT member_id, bucket_s, ${measureColumns.join(', ')} FROM rollups
         WHERE grouping = ? AND tier_seconds = ? AND bucket_s >= ? AND bucket_s < ? AND member_id IN (SELECT value FROM json_each(?))`,
      ).all(groupings[grouping], tier.seconds, from / 1000, to / 1000, ids) as BucketRow[]
      return points.map((row) => bucketOf(row, Math.floor((row[1] * 1000 - from) / bucketMs)))
    },
  }
}

/** Row of a bucket; the second element is the number of the bucket or its start in seconds. */
type BucketRow = readonly [memberId: number, bucket: number, ...measures: number[]]

function bucketOf([memberId, , ...measures]: BucketRow, index: number): MemberBucket {
  return { memberId, index, ...measuresOf(measures) }
}

type Numbers = readonly [memberId: number, ...measures: number[]]
