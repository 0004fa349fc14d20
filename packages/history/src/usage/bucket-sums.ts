import type { EpochMs } from '@svc/core'
import { addTo, type UsageCounts, type UsageDetail, type UsageSum } from '@svc/core/usage'
import {
  type AnyGrouping,
  allGroupings,
  isKept,
  type RateGrouping,
  TOTAL_MEMBER,
  tiersOf,
} from './tiers.ts'

/** Place of a member's bucket, with its start in epoch seconds. */
export interface BucketPlace {
  readonly grouping: number
  readonly tierSeconds: number
  readonly bucketS: number
  readonly memberId: number
}

export type MembersOfRequest = Readonly<Record<Exclude<AnyGrouping, 'total'>, number>>
type CellsOfRequest = Pick<MembersOfRequest, RateGrouping>

type Summed = Pick<UsageDetail, 'at' | 'tokens' | 'failed' | 'classes' | 'failure'>

export type BucketSums = ReturnType<typeof createBucketSums>

/** Finest width of sums of members, and of those with their rates. */
const FINEST_MS = 60_000
const FINEST_RATE_MS = 7_200_000

/** Sums of the members of each bucket, by the number of its width since the epoch. Numbers this small are the fastest keys. */
type Sums = Map<number, Map<number, UsageSum>>

/** Sums collected in one transaction for the rollups of all tiers. Requests from `ratesUntil` on are left out of those by rate. */
export function createBucketSums(ratesUntil = Number.POSITIVE_INFINITY) {
  const sumsOf: Readonly<Record<AnyGrouping, Sums>> = {
    total: new Map(),
    account: new Map(),
    model: new Map(),
    api: new Map(),
    upstream: new Map(),
    provider: new Map(),
    account_rate: new Map(),
    client_rate: new Map(),
    total_rate: new Map(),
  }
  const all = Object.entries(sumsOf) as readonly [AnyGrouping, Sums][]
  const rates = [sumsOf.account_rate, sumsOf.client_rate, sumsOf.total_rate]
  const addRates = (at: EpochMs, members: CellsOfRequest, more: UsageCounts): void => {
    const bucket = Math.floor(at / FINEST_RATE_MS)
    addToSum(membersIn(sumsOf.account_rate, bucket), members.account_rate, more)
    addToSum(membersIn(sumsOf.client_rate, bucket), members.client_rate, more)
    addToSum(membersIn(sumsOf.total_rate, bucket), members.total_rate, more)
  }

  return {
    add(detail: Summed, members: MembersOfRequest): void {
      const minute = Math.floor(detail.at / FINEST_MS)
      const more = sumOf(detail)
      addToSum(membersIn(sumsOf.total, minute), TOTAL_MEMBER, more)
      addToSum(membersIn(sumsOf.account, minute), members.account, more)
      addToSum(membersIn(sumsOf.model, minute), members.model, more)
      addToSum(membersIn(sumsOf.api, minute), members.api, more)
      addToSum(membersIn(sumsOf.upstream, minute), members.upstream, more)
      addToSum(membersIn(sumsOf.provider, minute), members.provider, more)
      if (detail.at < ratesUntil) addRates(detail.at, members, more)
    },
    /** Adds a request to the sums by rate alone. */
    addRates: (detail: Summed, members: CellsOfRequest) =>
      addRates(detail.at, members, sumOf(detail)),
    /** Number of sums by rate, before they are made coarser. */
    rateCount: () => rates.reduce((count, sums) => count + placesIn(sums), 0),
    /** Passes the sum of every bucket still kept at `now` to `put`, and clears all sums. */
    drain(now: EpochMs, put: (place: BucketPlace, sum: UsageCounts) => void): void {
      for (const [name, sums] of all) {
        const grouping = allGroupings[name]
        let finer = sums
        let finerSeconds = 0
        for (const tier of tiersOf(grouping)) {
          if (finerSeconds > 0) finer = coarsen(finer, tier.seconds / finerSeconds)
          finerSeconds = tier.seconds
          for (const [bucket, members] of finer) {
            const bucketS = bucket * tier.seconds
            if (!isKept(bucketS, tier, now)) continue
            // In the order of its key a large table takes them much faster.
            for (const memberId of Float64Array.from(members.keys()).sort()) {
              const sum = members.get(memberId) as UsageSum
              put({ grouping, tierSeconds: tier.seconds, bucketS, memberId }, sum)
            }
          }
        }
        sums.clear()
      }
    },
  }
}

function membersIn(sums: Sums, bucket: number): Map<number, UsageSum> {
  const members = sums.get(bucket) ?? new Map<number, UsageSum>()
  if (members.size === 0) sums.set(bucket, members)
  return members
}

function placesIn(sums: Sums): number {
  let count = 0
  for (const members of sums.values()) count += members.size
  return count
}

/** Buckets that are wider by `factor`. A single one is not copied: most batches are of a few seconds. */
function coarsen(sums: Sums, factor: number): Sums {
  const coarser: Sums = new Map()
  for (const [bucket, members] of sums) {
    const wider = Math.floor(bucket / factor)
    if (sums.size === 1) coarser.set(wider, members)
    else for (const [member, more] of members) addToSum(membersIn(coarser, wider), member, more)
  }
  return coarser
}

/** Sum of one request. Written without a loop or a spread, as all that runs for each stored request. */
function sumOf({ tokens, failed, classes, failure }: Summed): UsageCounts {
  return {
    requests: 1,
    tokens,
    failed: failed ? 1 : 0,
    tokensIn: classes?.tokensIn ?? 0,
    tokensCached: classes?.tokensCached ?? 0,
    tokensWritten: classes?.tokensWritten ?? 0,
    tokensOut: classes?.tokensOut ?? 0,
    failedAuth: failed && failure === 'failedAuth' ? 1 : 0,
    failedLimit: failed && failure === 'failedLimit' ? 1 : 0,
    failedVendor: failed && failure === 'failedVendor' ? 1 : 0,
    failedOther: failed && failure === 'failedOther' ? 1 : 0,
  }
}

function addToSum(sums: Map<number, UsageSum>, member: number, more: UsageCounts): void {
  const sum = sums.get(member)
  if (sum === undefined) sums.set(member, { ...more })
  else addTo(sum, more)
}
