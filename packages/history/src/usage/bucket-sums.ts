import type { EpochMs } from '@svc/core'
import {
  addTo,
  emptySum,
  type UsageDetail,
  type UsageMeasures,
  type UsageSum,
} from '@svc/core/usage'
import { finestTier, type Grouping, groupings, isKept, TOTAL_MEMBER, tiers } from './tiers.ts'

/** Where a bucket of one member belongs, its start in epoch seconds. */
export interface BucketPlace {
  readonly grouping: number
  readonly tierSeconds: number
  readonly bucketS: number
  readonly memberId: number
}

/** Sums of one transaction, on their way into the rollups of all tiers. */
export interface BucketSums {
  add(
    detail: Pick<UsageDetail, 'at' | 'tokens' | 'failed'>,
    members: Readonly<Record<Exclude<Grouping, 'total'>, number>>,
  ): void
  /** Hands over the sum of every bucket that is still kept at `now`, and begins anew. */
  drain(now: EpochMs, put: (place: BucketPlace, sum: UsageMeasures) => void): void
  /** Begins anew. */
  discard(): void
}

/** Members fit into this many; a bucket number and a member make one exact number. */
const MEMBERS_MAX = 2 ** 21

export function createBucketSums(): BucketSums {
  const byGrouping = Object.values(groupings).map((grouping) => ({
    grouping,
    sums: new Map<number, UsageSum>(),
  }))

  return {
    add({ at, tokens, failed }, members) {
      const bucket = Math.floor(at / (finestTier.seconds * 1000))
      const memberIds = [TOTAL_MEMBER, members.account, members.model, members.api]
      const more = { requests: 1, tokens, failed: failed ? 1 : 0 }
      for (const { grouping, sums } of byGrouping)
        addToSum(sums, bucket * MEMBERS_MAX + (memberIds[grouping] ?? TOTAL_MEMBER), more)
    },
    drain(now, put) {
      for (const { grouping, sums } of byGrouping) {
        let finer = sums
        let finerSeconds = finestTier.seconds
        for (const tier of tiers) {
          const coarser = tier === finestTier ? sums : coarsened(finer, tier.seconds / finerSeconds)
          for (const [key, sum] of coarser) {
            const bucketS = Math.floor(key / MEMBERS_MAX) * tier.seconds
            if (isKept(bucketS, tier, now))
              put(
                { grouping, tierSeconds: tier.seconds, bucketS, memberId: key % MEMBERS_MAX },
                sum,
              )
          }
          finer = coarser
          finerSeconds = tier.seconds
        }
        sums.clear()
      }
    },
    discard() {
      for (const { sums } of byGrouping) sums.clear()
    },
  }
}

function coarsened(sums: ReadonlyMap<number, UsageSum>, factor: number): Map<number, UsageSum> {
  const coarser = new Map<number, UsageSum>()
  for (const [key, more] of sums) {
    const bucket = Math.floor(Math.floor(key / MEMBERS_MAX) / factor)
    addToSum(coarser, bucket * MEMBERS_MAX + (key % MEMBERS_MAX), more)
  }
  return coarser
}

function addToSum(sums: Map<number, UsageSum>, key: number, more: UsageMeasures): void {
  const sum = sums.get(key) ?? emptySum()
  sums.set(key, sum)
  addTo(sum, more)
}
