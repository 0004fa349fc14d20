import { ASSUMED_PROVIDER } from '@svc/core/service'
import { emptySum, OTHER_ACCOUNT, type UsageSum } from '@svc/core/usage'
import type { Database, Statement } from '@svc/sqlite'
import { bucketCoverOf, coverOf, type Stretch } from '../usage/cover.ts'
import type { MemberBucket, UsageQueries } from '../usage/stored-usage.ts'
import { type Grouping, groupings, type Tier } from '../usage/tiers.ts'
import type { AtOnce } from './promised.ts'

/** The provider of a row; if the row has none, the one `providerOfUsage` assumes. */
export const PROVIDER_COLUMN = `coalesce(provider_id, (SELECT p.id FROM accounts a JOIN providers p
  ON p.name = CASE WHEN a.key LIKE '${OTHER_ACCOUNT}%' THEN substr(a.key, ${OTHER_ACCOUNT.length + 1}) ELSE '${ASSUMED_PROVIDER}' END WHERE a.id = account_id))`

/** Column of a usage row with its member of a grouping. */
const MEMBER_COLUMNS: Readonly<Record<Grouping, string>> = {
  total: '0',
  account: 'account_id',
  model: 'model_id',
  api: 'api_name_id',
  upstream: 'upstream_id',
  provider: PROVIDER_COLUMN,
}

/** A sum over rows, limited to exact numbers; SQLite's `sum` would fail beyond 63 bits. */
const sumOf = (column: string) => `min(total(${column}), ${Number.MAX_SAFE_INTEGER})`

export function createUsageQueries(db: Database): AtOnce<UsageQueries> {
  const sums = createMemberSums(db)
  const buckets = createBucketSums(db)
  return {
    members(grouping, from, to) {
      const cover = coverOf(from, to)
      const sumOfMember = new Map<number, UsageSum>()
      const add = (rows: readonly Numbers[], sign: 1 | -1) => {
        for (const [memberId, requests, tokens, failed] of rows) {
          const sum = sumOfMember.get(memberId) ?? emptySum()
          sumOfMember.set(memberId, sum)
          sum.requests += sign * requests
          sum.tokens += sign * tokens
          sum.failed += sign * failed
        }
      }
      if (cover.rowsFrom < cover.rowsTo) add(sums.ofRows(grouping, cover.rowsFrom, cover.rowsTo), 1)
      for (const stretch of cover.stretches) add(sums.ofRollups(grouping, stretch), 1)
      if (cover.tooMuchTo > to) add(sums.ofRows(grouping, to, cover.tooMuchTo), -1)
      return [...sumOfMember].flatMap(([memberId, sum]) =>
        sum.requests > 0 ? [{ memberId, ...sum }] : [],
      )
    },
    buckets(grouping, memberIds, { from, to, bucketSeconds }) {
      const { tier, tooMuchTo } = bucketCoverOf(bucketSeconds, to)
      const asked = {
        grouping,
        ids: JSON.stringify(memberIds),
        from,
        bucketMs: bucketSeconds * 1000,
      }
      const found = buckets.ofRollups(asked, tier, to)
      if (tooMuchTo <= to) return found
      const tooMuch = buckets.ofRows(asked, to, tooMuchTo).map((bucket) => ({
        ...bucket,
        requests: -bucket.requests,
        tokens: -bucket.tokens,
        failed: -bucket.failed,
      }))
      return [...found, ...tooMuch]
    },
  }
}

/** Prepares each statement at its first use; rows come as lists. */
function preparedIn(db: Database): (sql: string) => Statement {
  const statements = new Map<string, Statement>()
  return (sql) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = db.prepare(sql).raw()
    statements.set(sql, statement)
    return statement
  }
}

/** Sums of all members over a period. */
function createMemberSums(db: Database) {
  const prepared = preparedIn(db)
  return {
    ofRows: (grouping: Grouping, from: number, to: number): readonly Numbers[] =>
      prepared(
        `SELECT ${MEMBER_COLUMNS[grouping]} AS member, count(*), ${sumOf('tokens')}, ${sumOf('failed')} FROM usage WHERE at_ms >= ? AND at_ms < ? GROUP BY member`,
      ).all(from, to) as Numbers[],
    ofRollups: (grouping: Grouping, { tier, from, to }: Stretch): readonly Numbers[] =>
      prepared(
        `SELECT member_id, ${sumOf('requests')}, ${sumOf('tokens')}, ${sumOf('failed')} FROM rollups
       WHERE grouping = ? AND tier_seconds = ? AND bucket_s >= ? AND bucket_s < ? GROUP BY member_id`,
      ).all(groupings[grouping], tier.seconds, from / 1000, to / 1000) as Numbers[],
  }
}

/** Query of buckets: members as a JSON list, first start and width. */
interface BucketQuery {
  readonly grouping: Grouping
  readonly ids: string
  readonly from: number
  readonly bucketMs: number
}

/** Sums of some members, bucket by bucket. */
function createBucketSums(db: Database) {
  const prepared = preparedIn(db)
  return {
    ofRows({ grouping, ids, from, bucketMs }: BucketQuery, start: number, end: number) {
      const rows = prepared(
        `SELECT ${MEMBER_COLUMNS[grouping]} AS member, (at_ms - cast(? AS INTEGER)) / cast(? AS INTEGER) AS bucket, count(*), ${sumOf('tokens')}, ${sumOf('failed')}
             FROM usage WHERE at_ms >= ? AND at_ms < ? AND member IN (SELECT value FROM json_each(?)) GROUP BY member, bucket`,
      ).all(from, bucketMs, start, end, ids) as BucketRow[]
      return rows.map((row) => bucketOf(row, row[1]))
    },
    ofRollups({ grouping, ids, from, bucketMs }: BucketQuery, tier: Tier, to: number) {
      const points = prepared(
        `SELECT member_id, bucket_s, requests, tokens, failed FROM rollups
         WHERE grouping = ? AND tier_seconds = ? AND bucket_s >= ? AND bucket_s < ? AND member_id IN (SELECT value FROM json_each(?))`,
      ).all(groupings[grouping], tier.seconds, from / 1000, to / 1000, ids) as BucketRow[]
      return points.map((row) => bucketOf(row, Math.floor((row[1] * 1000 - from) / bucketMs)))
    },
  }
}

/** Row of a bucket; the second element is the number of the bucket or its start in seconds. */
type BucketRow = readonly [
  memberId: number,
  bucket: number,
  requests: number,
  tokens: number,
  failed: number,
]

function bucketOf([memberId, , requests, tokens, failed]: BucketRow, index: number): MemberBucket {
  return { memberId, index, requests, tokens, failed }
}

type Numbers = readonly [memberId: number, requests: number, tokens: number, failed: number]
