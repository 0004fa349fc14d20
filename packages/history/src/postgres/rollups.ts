import type { EpochMs } from '@svc/core'
import type { BucketMeasures, BucketPlace, BucketSums } from '../usage/bucket-sums.ts'
import { measureColumns } from '../usage/measure-columns.ts'
import { groupings, tiers } from '../usage/tiers.ts'
import { columnOf } from './column-list.ts'
import type { Session } from './session.ts'

interface Bucket {
  readonly place: BucketPlace
  readonly sum: BucketMeasures
}

/** Adds sums to the rollups, and empties them. Call inside a transaction. Always in the same order, so that two writers never wait for each other. */
export async function writeSums(session: Session, sums: BucketSums, now: EpochMs): Promise<void> {
  const byTier = new Map<number, Bucket[]>()
  sums.drain(now, (place, sum) => {
    const buckets = byTier.get(place.tierSeconds)
    if (buckets === undefined) byTier.set(place.tierSeconds, [{ place, sum }])
    else buckets.push({ place, sum })
  })
  for (const { seconds } of tiers) {
    const buckets = byTier.get(seconds)?.sort(inKeyOrder)
    if (buckets === undefined) continue
    await session.run(upsertOf(seconds), [
      columnOf(buckets, ({ place }) => place.grouping),
      columnOf(buckets, ({ place }) => place.bucketS),
      columnOf(buckets, ({ place }) => place.memberId),
      columnOf(buckets, ({ sum }) => sum.requests),
      columnOf(buckets, ({ sum }) => sum.tokens),
      columnOf(buckets, ({ sum }) => sum.failed),
      columnOf(buckets, ({ sum }) => sum.tokensIn),
      columnOf(buckets, ({ sum }) => sum.tokensCached),
      columnOf(buckets, ({ sum }) => sum.tokensWritten),
      columnOf(buckets, ({ sum }) => sum.tokensOut),
    ])
  }
}

function inKeyOrder({ place: one }: Bucket, { place: other }: Bucket): number {
  return (
    one.grouping - other.grouping || one.bucketS - other.bucketS || one.memberId - other.memberId
  )
}

const tableOf = (tierSeconds: number): string => `svc_quota_monitor.rollup_${tierSeconds}`

/** Tokens never grow beyond what a number holds exactly. */
function upsertOf(tierSeconds: number): string {
  const columns = `grouping, bucket_s, member_id, ${measureColumns.join(', ')}`
  const arrays = measureColumns.map((_, index) => `$${index + 4}::bigint[]`)
  const updates = measureColumns.map((column) => {
    const sum = `t.${column} + excluded.${column}`
    return `${column} = ${column.startsWith('tokens') ? `least(${sum}, ${Number.MAX_SAFE_INTEGER})` : sum}`
  })
  return `INSERT INTO ${tableOf(tierSeconds)} AS t (${columns})
    SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::int[], ${arrays.join(', ')})
    ON CONFLICT (grouping, bucket_s, member_id) DO UPDATE SET ${updates.join(', ')}`
}

/** Deletes up to `rowsMax` sums whose time has passed; false when there are none left. */
export async function pruneRollups(
  session: Session,
  now: EpochMs,
  rowsMax: number,
): Promise<boolean> {
  for (const { seconds, keptSeconds } of tiers) {
    if (!Number.isFinite(keptSeconds)) continue
    const endedBeforeS = Math.floor(now / 1000 - keptSeconds - seconds)
    for (const grouping of Object.values(groupings)) {
      const deleted = await session.run(
        `DELETE FROM ${tableOf(seconds)} WHERE grouping = $1 AND (bucket_s, member_id) IN (
           SELECT bucket_s, member_id FROM ${tableOf(seconds)} WHERE grouping = $1 AND bucket_s <= $2
           ORDER BY bucket_s, member_id LIMIT $3)`,
        [grouping, endedBeforeS, rowsMax],
      )
      if (deleted > 0) return true
    }
  }
  return false
}
