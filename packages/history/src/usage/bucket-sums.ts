import type { EpochMs } from '@svc/core'
import { addTo, emptySum, type UsageCounts, type UsageDetail, type UsageSum } from '@svc/core/usage'
import { type AnyGrouping, allGroupings, isKept, TOTAL_MEMBER, tiersOf } from './tiers.ts'

/** Place of a member's bucket, with its start in epoch seconds. */
export interface BucketPlace {
  readonly grouping: number
  readonly tierSeconds: number
  readonly bucketS: number
  readonly memberId: number
}

export type MembersOfRequest = Readonly<Record<Exclude<AnyGrouping, 'total'>, number>>

/** Sums collected in one transaction for the rollups of all tiers. */
export interface BucketSums {
  add(
    detail: Pick<UsageDetail, 'at' | 'tokens' | 'failed' | 'classes' | 'failure'>,
    members: MembersOfRequest,
  ): void
  /** Passes the sum of every bucket still kept at `now` to `put`, and clears all sums. */
  drain(now: EpochMs, put: (place: BucketPlace, sum: UsageCounts) => void): void
  discard(): void
}

/** Upper limit of member numbers, so that bucket and member fit into one exact number. */
const MEMBERS_MAX = 2 ** 21
/** Finest width of sums of members, and of those with their rates. */
const FINEST_MS = 60_000
const FINEST_RATE_MS = 7_200_000

export function createBucketSums(): BucketSums {
  const sumsOf: Readonly<Record<AnyGrouping, Map<number, UsageSum>>> = {
    total: new Map(),
    account: new Map(),
    model: new Map(),
    api: new Map(),
    upstream: new Map(),
    provider: new Map(),
    account_rate: new Map(),
    client_rate: new Map(),
  }
  const all = Object.entries(sumsOf) as readonly [AnyGrouping, Map<number, UsageSum>][]

  return {
    add({ at, ...detail }, members) {
      const start = Math.floor(at / FINEST_MS) * MEMBERS_MAX
      const rateStart = Math.floor(at / FINEST_RATE_MS) * MEMBERS_MAX
      const more = sumOf(detail)
      addToSum(sumsOf.total, start + TOTAL_MEMBER, more)
      addToSum(sumsOf.account, start + members.account, more)
      addToSum(sumsOf.model, start + members.model, more)
      addToSum(sumsOf.api, start + members.api, more)
      addToSum(sumsOf.upstream, start + members.upstream, more)
      addToSum(sumsOf.provider, start + members.provider, more)
      addToSum(sumsOf.account_rate, rateStart + members.account_rate, more)
      addToSum(sumsOf.client_rate, rateStart + members.client_rate, more)
    },
    drain(now, put) {
      for (const [name, sums] of all) {
        const grouping = allGroupings[name]
        let finer: ReadonlyMap<number, UsageSum> = sums
        let finerSeconds = 0
        for (const tier of tiersOf(grouping)) {
          const coarser = finerSeconds === 0 ? sums : coarsen(finer, tier.seconds / finerSeconds)
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
      for (const [, sums] of all) sums.clear()
    },
  }
}

function coarsen(sums: ReadonlyMap<number, UsageSum>, factor: number): Map<number, UsageSum> {
  const coarser = new Map<number, UsageSum>()
  for (const [key, more] of sums) {
    const bucket = Math.floor(Math.floor(key / MEMBERS_MAX) / factor)
    addToSum(coarser, bucket * MEMBERS_MAX + (key % MEMBERS_MAX), more)
  }
  return coarser
}

/** Sum of one request, with the same object shape as `emptySum`. */
function sumOf({
  tokens,
  failed,
  classes,
  failure,
}: Pick<UsageDetail, 'tokens' | 'failed' | 'classes' | 'failure'>): UsageCounts {
  const sum = emptySum()
  sum.requests = 1
  sum.tokens = tokens
  sum.failed = failed ? 1 : 0
  if (classes != null) Object.assign(sum, classes)
  if (failed && failure != null) sum[failure] = 1
  return sum
}

function addToSum(sums: Map<number, UsageSum>, key: number, more: UsageCounts): void {
  const sum = sums.get(key)
  if (sum === undefined) sums.set(key, { ...more })
  else addTo(sum, more)
}
