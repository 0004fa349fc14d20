import type { EpochMs } from '@svc/core'
import { type Tier, tiers, tiersOfRates, tiersOfTotal, type UsageGroup } from '@svc/core/usage'

/** Width in seconds of the tier that is kept without limit. */
export const DAY_TIER_SECONDS = 86_400

/** Groupings of usage in rollups. Clients are combined from `api` when read, because labels may change. */
export const groupings = {
  total: 0,
  account: 1,
  model: 2,
  api: 3,
  upstream: 4,
  provider: 5,
} as const satisfies Partial<Record<UsageGroup, number>>
/** Sums by rate; their members are cells. */
export const rateGroupings = { account_rate: 6, client_rate: 7, total_rate: 8 } as const
export const allGroupings = { ...groupings, ...rateGroupings }
export type Grouping = keyof typeof groupings
export type RateGrouping = keyof typeof rateGroupings
export type AnyGrouping = Grouping | RateGrouping

/** Only member of the grouping `total`. */
export const TOTAL_MEMBER = 0

export function tiersOf(grouping: number): readonly Tier[] {
  if (grouping === groupings.total) return tiersOfTotal
  return grouping > groupings.provider ? tiersOfRates : tiers
}

/** Whether a bucket of this tier is still kept at `now`. */
export function isKept(bucketS: number, { seconds, keptSeconds }: Tier, now: EpochMs): boolean {
  return bucketS + seconds > now / 1000 - keptSeconds
}
