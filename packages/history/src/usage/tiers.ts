import type { EpochMs } from '@svc/core'
import type { UsageGroup } from '@svc/core/usage'

const DAY_SECONDS = 86_400

/** A width of buckets, and the time a bucket is kept after its end. */
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

/** The tier without a limit. */
export const DAY_TIER_SECONDS = DAY_SECONDS

/** Groupings of usage in rollups. Clients are not among them: labels may change, so clients are combined from `api` when read. */
export const groupings = {
  total: 0,
  account: 1,
  model: 2,
  api: 3,
  upstream: 4,
  provider: 5,
} as const satisfies Partial<Record<UsageGroup, number>>
export type Grouping = keyof typeof groupings

/** Only member of the grouping `total`. */
export const TOTAL_MEMBER = 0

/** Tiers of the total. Quarter hours are kept for more than a week, so that a weekly chart has hourly buckets. */
const tiersOfTotal = tiers.map((tier) =>
  tier.seconds === 900 ? { ...tier, keptSeconds: 8 * DAY_SECONDS } : tier,
)

export function tiersOf(grouping: number): readonly Tier[] {
  return grouping === groupings.total ? tiersOfTotal : tiers
}

/** The widest tier that divides buckets of this width, a whole number of minutes. */
export function tierFor(bucketSeconds: number): Tier {
  return tiers.findLast(({ seconds }) => bucketSeconds % seconds === 0) ?? finestTier
}

/** Whether a bucket of this tier is still kept at `now`. */
export function isKept(bucketS: number, { seconds, keptSeconds }: Tier, now: EpochMs): boolean {
  return bucketS + seconds > now / 1000 - keptSeconds
}
