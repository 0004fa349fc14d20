import type { EpochMs } from '@svc/core'
import type { Database, Statement } from '@svc/sqlite'
import { droppedRows } from '../contract/history-error.ts'
import { type BucketSums, createBucketSums } from '../usage/bucket-sums.ts'
import { measureColumns as columns, measureNames } from '../usage/measures.ts'
import { groupings, tiersOf } from '../usage/tiers.ts'

export interface RollupSums extends Pick<BucketSums, 'add' | 'discard'> {
  write(now: EpochMs): void
}

/** Rules for an existing bucket: the sum of both, or the larger. Tokens never exceed the largest exact number. */
const ON_CONFLICT = {
  add: (column: string) =>
    column.startsWith('tokens')
      ? `min(${column} + excluded.${column}, ${Number.MAX_SAFE_INTEGER})`
      : `${column} + excluded.${column}`,
  larger: (column: string) => `max(${column}, excluded.${column})`,
} as const

/** Statement that writes the sum of a bucket: grouping, tier, bucket, member, then the measures in the order of `measureColumns`. */
export function prepareRollup(db: Database, onConflict: keyof typeof ON_CONFLICT): Statement {
  const updates = columns.map((column) => `${column} = ${ON_CONFLICT[onConflict](column)}`)
  return db.prepare(
    `INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, ${columns.join(', ')}) VALUES (?, ?, ?, ?${', ?'.repeat(columns.length)})
     ON CONFLICT DO UPDATE SET ${updates.join(', ')}`,
  )
}

export function createRollupSums(
  db: Database,
  onConflict: keyof typeof ON_CONFLICT = 'add',
): RollupSums {
  const upsert = prepareRollup(db, onConflict)
  const sums = createBucketSums()
  return {
    add: sums.add,
    discard: sums.discard,
    write(now) {
      sums.drain(now, ({ grouping, tierSeconds, bucketS, memberId }, sum) => {
        const { changes } = upsert.run(
          grouping,
          tierSeconds,
          bucketS,
          memberId,
          ...measureNames.map((name) => sum[name]),
        )
        if (changes === 0) throw droppedRows('sqlite')
      })
    },
  }
}

/** Deletes up to `rowsMax` expired rollup rows; false if none are left. */
export function pruneRollups(db: Database, now: EpochMs, rowsMax: number): boolean {
  for (const grouping of Object.values(groupings)) {
    for (const { seconds, keptSeconds } of tiersOf(grouping)) {
      if (!Number.isFinite(keptSeconds)) continue
      const endedBeforeS = Math.floor(now / 1000 - keptSeconds - seconds)
      const { changes } = db
        .prepare(
          `DELETE FROM rollups WHERE grouping = ? AND tier_seconds = ? AND (bucket_s, member_id) IN (
             SELECT bucket_s, member_id FROM rollups WHERE grouping = ? AND tier_seconds = ? AND bucket_s <= ? LIMIT ?)`,
        )
        .run(grouping, seconds, grouping, seconds, endedBeforeS, rowsMax)
      if (changes > 0) return true
    }
  }
  return false
}
