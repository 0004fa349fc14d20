import type { EpochMs } from '@svc/core'
import type { UsageGroup } from '@svc/core/usage'

const DAY_SECONDS = 86_400

/** One width of bucket, and how long after its end a bucket is kept. */
export interface Tier {
  readonly seconds: number
  /** Infinity: without a limit. */
  readonly keptSeconds: number
}

/**
 * Finest first; each width divides the next. Every range of a chart, and its first bucket, finds a tier that still has all of it, so that no chart
 * reads single rows: at five thousand requests a second the last hour alone has eighteen million.
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

/** How usage is grouped in rollups. Clients are not among them: labels may change, so they are put together from `api` when read. */
export const groupings = {
  total: 0,
  account: 1,
  model: 2,
  api: 3,
  upstream: 4,
  provider: 5,
} as const satisfies Partial<Record<UsageGroup, number>>
export type Grouping = keyof typeof groupings

/** The one member of the grouping `total`. */
export const TOTAL_MEMBER = 0

/** The widest tier that buckets of this width, a whole number of minutes, are made of. */
export function tierFor(bucketSeconds: number): Tier {
  return tiers.findLast(({ seconds }) => bucketSeconds % seconds === 0) ?? finestTier
}

/** True when a bucket of this tier is still kept at `now`. */
export function isKept(bucketS: number, { seconds, keptSeconds }: Tier, now: EpochMs): boolean {
  return bucketS + seconds > now / 1000 - keptSeconds
}
