import { tiers, type UsageDetail } from '@svc/core/usage'
import { droppedRows } from '../contract/history-error.ts'
import type { Bucket, RowWriter, UsageRow } from '../sql/engine.ts'
import type { MembersOfRequest } from '../usage/bucket-sums.ts'
import { measureColumns, measureNames, statedColumns, statedValues } from '../usage/measures.ts'
import { createPartitions, type Partitions } from './partitions.ts'
import type { Session } from './session.ts'

/**
 * Row writer of a database, with one statement for all rows of a batch and one for the sums of each tier. Where the last requests were all new, many more are
 * stored as if they were: it takes the database a third less time.
 */
export function createRowWriter(
  session: Session,
  { ensure: makeRoom, distrust }: Partitions = createPartitions(session),
): RowWriter {
  let wereNew = true
  return {
    makeRoom,
    distrust,
    async insert(rows, meanwhile = () => undefined) {
      const values = valuesOf(rows)
      if (wereNew && rows.length >= MANY) {
        await session.run('SAVEPOINT before_requests')
        const storing = session.run(INSERT, values).catch(() => null)
        meanwhile()
        if ((await storing) === rows.length) return rows
        // Why not, the other statement finds out.
        await session.run('ROLLBACK TO SAVEPOINT before_requests')
      }
      const stored = await insertNew(session, rows, values, meanwhile)
      wereNew = stored.length === rows.length
      return stored
    },
    put: (buckets, onConflict) => putBuckets(session, buckets, onConflict),
  }
}

/**
 * A column of numbers as the text of an array. The driver would quote and escape every number, which takes several times as long for a batch of
 * thousands. Null stays null.
 */
function columnOf<Row>(
  rows: readonly Row[],
  value: (row: Row) => number | bigint | boolean | null,
): string {
  return `{${rows.map((row) => value(row) ?? 'NULL').join(',')}}`
}

const placeOf = (at: number, key: bigint | string): string => `${at} ${key}`

/** The columns of requests, in the order of `INSERT`. */
function valuesOf(rows: readonly UsageRow[]): readonly string[] {
  const detailColumn = (value: (detail: UsageDetail) => number | bigint | boolean | null) =>
    columnOf(rows, ({ detail }) => value(detail))
  const memberColumn = (member: keyof MembersOfRequest) =>
    columnOf(rows, ({ members }) => members[member])
  const stated = rows.map(({ detail }) =>
    statedValues({
      ...detail,
      latencyMs: durationOf(detail.latencyMs),
      firstTokenMs: durationOf(detail.firstTokenMs),
    }),
  )
  return [
    detailColumn(({ at }) => at),
    detailColumn(({ key }) => key),
    memberColumn('account'),
    memberColumn('api'),
    memberColumn('model'),
    memberColumn('upstream'),
    columnOf(rows, ({ detail, members }) => (detail.provider == null ? null : members.provider)),
    detailColumn(({ failed }) => failed),
    detailColumn(({ tokens }) => tokens),
    ...statedColumns.map((_, index) => columnOf(stated, (values) => values[index] ?? null)),
  ]
}

/** Minimum number of requests that are worth a statement more. */
const MANY = 100

/** Stores distinct requests in the order of the table's key and returns the new ones. Call inside a transaction. */
async function insertNew(
  session: Session,
  rows: readonly UsageRow[],
  values: readonly string[],
  meanwhile: () => void,
): Promise<readonly UsageRow[]> {
  if (rows.length === 0) return []
  const inserting = session.rows<{ at_ms: number; key: string }>(
    `${INSERT} ON CONFLICT DO NOTHING RETURNING at_ms, key::text`,
    values,
  )
  meanwhile()
  const inserted = await inserting
  if (inserted.length === rows.length) return rows
  const places = new Set(inserted.map(({ at_ms, key }) => placeOf(at_ms, key)))
  const isNew = ({ detail }: UsageRow) => places.has(placeOf(detail.at, detail.key))
  const others = rows.filter((row) => !isNew(row))
  const [found] = await session.rows<{ count: number }>(COUNT_OF, [
    columnOf(others, ({ detail }) => detail.at),
    columnOf(others, ({ detail }) => detail.key),
  ])
  if (found?.count !== others.length) throw droppedRows('postgres')
  return rows.filter(isNew)
}

const COUNT_OF = `SELECT count(*)::int AS count FROM svc_quota_monitor.usage
  JOIN unnest($1::bigint[], $2::bigint[]) AS asked (at_ms, key) USING (at_ms, key)`

const INSERT = `INSERT INTO svc_quota_monitor.usage (at_ms, key, account_id, api_name_id, model_id, upstream_id, provider_id, failed, tokens,
    ${statedColumns.join(', ')})
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::int[], $6::smallint[], $7::smallint[], $8::boolean[], $9::bigint[],
    ${statedColumns.map((_, index) => `$${index + 10}::bigint[]`).join(', ')})`

/** Largest value of the 32-bit column, about 24 days. */
const DURATION_MS_MAX = 2 ** 31 - 1

function durationOf(milliseconds: number | null | undefined): number | null {
  return milliseconds == null ? null : Math.min(milliseconds, DURATION_MS_MAX)
}

/** Writes buckets, each at most once and always in the same order, so that two writers never deadlock. Call inside a transaction. */
async function putBuckets(
  session: Session,
  all: readonly Bucket[],
  onConflict: keyof typeof ON_CONFLICT,
): Promise<void> {
  const byTier = new Map<number, Bucket[]>()
  for (const bucket of all) {
    const buckets = byTier.get(bucket.place.tierSeconds)
    if (buckets === undefined) byTier.set(bucket.place.tierSeconds, [bucket])
    else buckets.push(bucket)
  }
  for (const { seconds } of tiers) {
    const buckets = byTier.get(seconds)?.sort(inKeyOrder)
    if (buckets === undefined) continue
    const written = await session.run(upsertOf(seconds, onConflict), [
      columnOf(buckets, ({ place }) => place.grouping),
      columnOf(buckets, ({ place }) => place.bucketS),
      columnOf(buckets, ({ place }) => place.memberId),
      ...measureNames.map((name) => columnOf(buckets, ({ sum }) => sum[name])),
    ])
    if (written < buckets.length) throw droppedRows('postgres')
  }
}

function inKeyOrder({ place: one }: Bucket, { place: other }: Bucket): number {
  return (
    one.grouping - other.grouping || one.bucketS - other.bucketS || one.memberId - other.memberId
  )
}

/** Rules for an existing bucket: add both sums, or keep the larger. Tokens never exceed the largest exact number. */
const ON_CONFLICT = {
  add: (column: string) =>
    column.startsWith('tokens')
      ? `least(t.${column} + excluded.${column}, ${Number.MAX_SAFE_INTEGER})`
      : `t.${column} + excluded.${column}`,
  larger: (column: string) => `greatest(t.${column}, excluded.${column})`,
} as const

const tableOf = (tierSeconds: number): string => `svc_quota_monitor.rollup_${tierSeconds}`

function upsertOf(tierSeconds: number, onConflict: keyof typeof ON_CONFLICT): string {
  const columns = `grouping, bucket_s, member_id, ${measureColumns.join(', ')}`
  const arrays = measureColumns.map((_, index) => `$${index + 4}::bigint[]`)
  const updates = measureColumns.map((column) => `${column} = ${ON_CONFLICT[onConflict](column)}`)
  return `INSERT INTO ${tableOf(tierSeconds)} AS t (${columns})
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::int[], ${arrays.join(', ')})
    ON CONFLICT (grouping, bucket_s, member_id) DO UPDATE SET ${updates.join(', ')}`
}
