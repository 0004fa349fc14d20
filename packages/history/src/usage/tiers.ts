import type { EpochMs } from '@svc/core'
import type { UsageGroup } from '@svc/core/usage'

const DAY_SECONDS = 86_400

/** Width of buckets, and the time that a bucket is kept after its end. */
export interface Tier {
  readonly seconds: number
  /** Infinity: no limit. */
  readonly keptSeconds: number
}

/**
 * Tiers, finest first; each width divides the next. For every range of a chart, including its first bucket, a tier still has all buckets, so
 * that no sum is computed from single rows: at 5,000 requests a second the last hour alone has 18 million.
 */
export const tiers: readonly Tier[] = [
  { seconds: 60, keptSeconds: 25 * 3600 },
  { seconds: 900, keptSeconds: 2 * DAY_SECONDS },
  { seconds: 7_200, keptSeconds: 33 * DAY_SECONDS },
  { seconds: DAY_SECONDS, keptSeconds: Number.POSITIVE_INFINITY },
]

export const finestTier = tiers[0] as Tier

/** Width in seconds of the tier that is kept without limit. */
export const DAY_TIER_SECONDS = DAY_SECONDS

/** Groupings of usage in rollups. Clients are combined from `api` when read, because labels may change. */
export const groupings = {
  total: 0,
  account: 1,
  model: 2,
  api: 3,
  upstream: 4,
  provider: 5,
} as const satisfies Partial<Record<UsageGroup, number>>
/** Sums of accounts and of API names by all that a price depends on; their members are cells. */
export const rateGroupings = { account_rate: 6, client_rate: 7 } as const
export const allGroupings = { ...groupings, ...rateGroupings }
export type Grouping = keyof typeof groupings
export type RateGrouping = keyof typeof rateGroupings
export type AnyGrouping = Grouping | RateGrouping

/** Only member of the grouping `total`. */
export const TOTAL_MEMBER = 0

/** Tiers of the total. Quarter hours are kept for more than a week, so that a weekly chart has hourly buckets. */
const tiersOfTotal = tiers.map((tier) =>
  tier.seconds === 900 ? { ...tier, keptSeconds: 8 * DAY_SECONDS } : tier,
)

const tiersOfRates = tiers.filter(({ seconds }) => seconds >= 7_200)

export function tiersOf(grouping: number): readonly Tier[] {
  if (grouping === groupings.total) return tiersOfTotal
  return grouping > groupings.provider ? tiersOfRates : tiers
}

/** The widest tier whose width divides `bucketSeconds`, a whole number of minutes. */
export function tierFor(bucketSeconds: number): Tier {
  return tiers.findLast(({ seconds }) => bucketSeconds % seconds === 0) ?? finestTier
}

/** Whether a bucket of this tier is still kept at `now`. */
export function isKept(bucketS: number, { seconds, keptSeconds }: Tier, now: EpochMs): boolean {
  return bucketS + seconds > now / 1000 - keptSeconds
}

/** Adjacent buckets of one tier. */
export interface BucketRun {
  readonly tier: Tier
  readonly from: number
  readonly to: number
}

interface Cover {
  /** Start of the single rows that are read before the first bucket. */
  readonly rowsFrom: number
  readonly rowsTo: number
  readonly runs: readonly BucketRun[]
  /** End of the last bucket. Rows from the query's end to here, which a proxy with a fast clock may have sent, are subtracted. */
  readonly tooMuchTo: number
}

/** The fewest buckets that cover a period up to now: wide ones in the middle, and at the edges the finest that are still kept. */
export function coverOf(from: number, to: number): Cover {
  const finestKept = tiers.find(({ keptSeconds }) => to - from <= keptSeconds * 1000) ?? finestTier
  const first = roundUp(from, finestKept.seconds * 1000)
  if (to <= first) return { rowsFrom: from, rowsTo: to, runs: [], tooMuchTo: to }
  const tooMuchTo = roundUp(to, finestTier.seconds * 1000)
  return { rowsFrom: from, rowsTo: first, runs: runsOf(first, tooMuchTo, 0), tooMuchTo }
}

/**
 * Tier and last bucket for buckets of a width up to `to`. The last bucket begins at `lastFrom` and ends at `tooMuchTo`; its rows from `to` on are to
 * be subtracted.
 */
export function bucketCoverOf(
  bucketSeconds: number,
  to: number,
): { readonly tier: Tier; readonly lastFrom: number; readonly tooMuchTo: number } {
  const tier = tierFor(bucketSeconds)
  const tooMuchTo = roundUp(to, tier.seconds * 1000)
  return { tier, lastFrom: tooMuchTo - tier.seconds * 1000, tooMuchTo }
}

function runsOf(from: number, to: number, tierIndex: number): readonly BucketRun[] {
  const tier = tiers[tierIndex]
  if (tier === undefined || from >= to) return []
  const wider = tiers[tierIndex + 1]
  if (wider === undefined) return [{ tier, from, to }]
  const innerFrom = roundUp(from, wider.seconds * 1000)
  const innerTo = roundDown(to, wider.seconds * 1000)
  if (innerFrom >= innerTo) return [{ tier, from, to }]
  return [
    ...(from < innerFrom ? [{ tier, from, to: innerFrom }] : []),
    ...runsOf(innerFrom, innerTo, tierIndex + 1),
    ...(innerTo < to ? [{ tier, from: innerTo, to }] : []),
  ]
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step
}

function roundDown(value: number, step: number): number {
  return Math.floor(value / step) * step
}
