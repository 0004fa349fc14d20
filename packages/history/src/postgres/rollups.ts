import type { EpochMs } from '@svc/core'
import { POOL_LEASE } from '@svc/core/service'
import type { UsageCounts } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { droppedRows } from '../contract/history-error.ts'
import { run } from '../sql/steps.ts'
import type { BucketPlace, BucketSums } from '../usage/bucket-sums.ts'
import { measureColumns, measureNames } from '../usage/measures.ts'
import { groupings, tiers, tiersOf } from '../usage/tiers.ts'
import { columnOf } from './column-list.ts'
import type { Fence } from './fence.ts'
import { runSteps } from './run-steps.ts'
import type { Session } from './session.ts'

export interface Bucket {
  readonly place: BucketPlace
  readonly sum: UsageCounts
}

/** Adds sums to the rollups and clears them. Call inside a transaction. */
export async function writeSums(session: Session, sums: BucketSums, now: EpochMs): Promise<void> {
  const buckets: Bucket[] = []
  sums.drain(now, (place, sum) => void buckets.push({ place, sum }))
  await putBuckets(session, buckets, 'add')
}

/** Writes buckets, each at most once. Call inside a transaction. Always in the same order, so that two writers never wait for each other. */
export async function putBuckets(
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

/** Rules for an existing bucket: the sum of both, or the larger. Tokens never exceed the largest exact number. */
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

/** Deletes up to `rowsMax` expired sums while the lease of the pool is held; false if none are left. */
export async function pruneRollups(
  session: Session,
  fence: Pick<Fence, 'condition'>,
  { now, rowsMax }: { readonly now: EpochMs; readonly rowsMax: number },
): Promise<boolean> {
  const held = fence.condition(POOL_LEASE)
  for (const grouping of Object.values(groupings)) {
    for (const { seconds, keptSeconds } of tiersOf(grouping)) {
      if (!Number.isFinite(keptSeconds)) continue
      const table = sql.raw(tableOf(seconds))
      const endedBeforeS = Math.floor(now / 1000 - keptSeconds - seconds)
      const expired = sql`SELECT bucket_s, member_id FROM ${table} WHERE grouping = ${grouping} AND bucket_s <= ${endedBeforeS}
        ORDER BY bucket_s, member_id LIMIT ${rowsMax}`
      const deleted = await runSteps(
        session,
        run(
          sql`DELETE FROM ${table} WHERE grouping = ${grouping} AND ${held} AND (bucket_s, member_id) IN (${expired})`,
        ),
      )
      if (deleted > 0) return true
    }
  }
  return false
}
