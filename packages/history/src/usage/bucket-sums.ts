import type { EpochMs } from '@svc/core'
import type { TokenClasses, UsageDetail } from '@svc/core/usage'
import type { BucketMeasures } from './measures.ts'
import { finestTier, type Grouping, groupings, isKept, TOTAL_MEMBER, tiers } from './tiers.ts'

/** Place of a member's bucket, with its start in epoch seconds. */
export interface BucketPlace {
  readonly grouping: number
  readonly tierSeconds: number
  readonly bucketS: number
  readonly memberId: number
}

/** Members of a request, by their numbers in dictionaries. */
export type MembersOfRequest = Readonly<Record<Exclude<Grouping, 'total'>, number>>

/** Sums of one transaction, on their way into the rollups of all tiers. */
export interface BucketSums {
  add(
    detail: Pick<UsageDetail, 'at' | 'tokens' | 'failed' | 'classes'>,
    members: MembersOfRequest,
  ): void
  /** Passes on the sum of every bucket still kept at `now`, and clears all. */
  drain(now: EpochMs, put: (place: BucketPlace, sum: BucketMeasures) => void): void
  /** Clears all sums. */
  discard(): void
}

/** Upper limit of member numbers, so that bucket and member together make one exact number. */
const MEMBERS_MAX = 2 ** 21
const FINEST_MS = finestTier.seconds * 1000
const UNKNOWN_CLASSES: TokenClasses = {
  tokensIn: 0,
  tokensCached: 0,
  tokensWritten: 0,
  tokensOut: 0,
}

type Sum = { -readonly [Measure in keyof BucketMeasures]: number }

export function createBucketSums(): BucketSums {
  const sumsOf: Readonly<Record<Grouping, Map<number, Sum>>> = {
    total: new Map(),
    account: new Map(),
    model: new Map(),
    api: new Map(),
    upstream: new Map(),
    provider: new Map(),
  }
  const all = Object.entries(sumsOf) as readonly [Grouping, Map<number, Sum>][]

  return {
    add({ at, tokens, failed, classes }, { account, model, api, upstream, provider }) {
      const start = Math.floor(at / FINEST_MS) * MEMBERS_MAX
      const more = sumOf(tokens, failed, classes ?? UNKNOWN_CLASSES)
      addToSum(sumsOf.total, start + TOTAL_MEMBER, more)
      addToSum(sumsOf.account, start + account, more)
      addToSum(sumsOf.model, start + model, more)
      addToSum(sumsOf.api, start + api, more)
      addToSum(sumsOf.upstream, start + upstream, more)
      addToSum(sumsOf.provider, start + provider, more)
    },
    drain(now, put) {
      for (const [name, sums] of all) {
        const grouping = groupings[name]
        let finer: ReadonlyMap<number, Sum> = sums
        let finerSeconds = finestTier.seconds
        for (const tier of tiers) {
          const coarser = tier === finestTier ? sums : coarsen(finer, tier.seconds / finerSeconds)
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

function coarsen(sums: ReadonlyMap<number, Sum>, factor: number): Map<number, Sum> {
  const coarser = new Map<number, Sum>()
  for (const [key, more] of sums) {
    const bucket = Math.floor(Math.floor(key / MEMBERS_MAX) / factor)
    addToSum(coarser, bucket * MEMBERS_MAX + (key % MEMBERS_MAX), more)
  }
  return coarser
}

/** Creates a sum; the only place, so that all have one shape. */
function sumOf(
  tokens: number,
  failed: boolean,
  { tokensIn, tokensCached, tokensWritten, tokensOut }: TokenClasses,
): Sum {
  return {
    requests: 1,
    tokens,
    failed: failed ? 1 : 0,
    tokensIn,
    tokensCached,
    tokensWritten,
    tokensOut,
  }
}

/** Adds to a sum; tokens stop at the largest exact number. */
function addToSum(sums: Map<number, Sum>, key: number, more: BucketMeasures): void {
  const sum = sums.get(key)
  if (sum === undefined) {
    sums.set(key, { ...more })
    return
  }
  sum.requests += more.requests
  sum.failed += more.failed
  sum.tokens = Math.min(sum.tokens + more.tokens, Number.MAX_SAFE_INTEGER)
  sum.tokensIn = Math.min(sum.tokensIn + more.tokensIn, Number.MAX_SAFE_INTEGER)
  sum.tokensCached = Math.min(sum.tokensCached + more.tokensCached, Number.MAX_SAFE_INTEGER)
  sum.tokensWritten = Math.min(sum.tokensWritten + more.tokensWritten, Number.MAX_SAFE_INTEGER)
  sum.tokensOut = Math.min(sum.tokensOut + more.tokensOut, Number.MAX_SAFE_INTEGER)
}
