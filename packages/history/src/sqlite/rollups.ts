import type { EpochMs } from '@svc/core'
import { type BucketSums, createBucketSums } from '../usage/bucket-sums.ts'
import { groupings, tiers } from '../usage/tiers.ts'
import type { Database, Statement } from './sqlite.ts'

/** Sums of one transaction, on their way into the rollups. */
export interface RollupSums extends Pick<BucketSums, 'add' | 'discard'> {
  /** Puts everything into the rollups and begins anew. */
  write(now: EpochMs): void
}

const INSERT =
  'INSERT INTO rollups (grouping, tier_seconds, bucket_s, member_id, requests, tokens, failed) VALUES (?, ?, ?, ?, ?, ?, ?)'

/** What becomes of a bucket that is there already: the sum of both, or the larger. Tokens never grow beyond what a number holds exactly. */
const ON_CONFLICT = {
  add: `requests = requests + excluded.requests,
    tokens = min(tokens + excluded.tokens, ${Number.MAX_SAFE_INTEGER}),
    failed = failed + excluded.failed`,
  larger:
    'requests = max(requests, excluded.requests), tokens = max(tokens, excluded.tokens), failed = max(failed, excluded.failed)',
} as const

export function createRollupSums(
  db: Database,
  onConflict: keyof typeof ON_CONFLICT = 'add',
): RollupSums {
  const upsert: Statement = db.prepare(
    `${INSERT} ON CONFLICT DO UPDATE SET ${ON_CONFLICT[onConflict]}`,
  )
  const sums = createBucketSums()
  return {
    add: sums.add,
    discard: sums.discard,
    write(now) {
      sums.drain(
        now,
        ({ grouping, tierSeconds, bucketS, memberId }, { requests, tokens, failed }) =>
          void upsert.run(grouping, tierSeconds, bucketS, memberId, requests, tokens, failed),
      )
    },
  }
}

/** Deletes up to `rowsMax` rollup rows whose time has passed; false when there are none left. */
export function pruneRollups(db: Database, now: EpochMs, rowsMax: number): boolean {
  for (const { seconds, keptSeconds } of tiers) {
    if (!Number.isFinite(keptSeconds)) continue
    const endedBeforeS = Math.floor(now / 1000 - keptSeconds - seconds)
    for (const grouping of Object.values(groupings)) {
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
