import type { EpochMs } from '@svc/core'
import {
  addTo,
  emptySum,
  type UsageDetail,
  type UsageGroup,
  type UsageMeasures,
  type UsageSum,
} from '@svc/core/usage'
import type { Database, Statement } from './sqlite.ts'

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
export const groupings = { total: 0, account: 1, model: 2, api: 3 } as const satisfies Partial<
  Record<UsageGroup, number>
>
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

/** Sums of one transaction, on their way into the rollups. */
export interface RollupSums {
  add(
    detail: Pick<UsageDetail, 'at' | 'tokens' | 'failed'>,
    members: Readonly<Record<Exclude<Grouping, 'total'>, number>>,
  ): void
  /** Puts everything into the rollups and begins anew. */
  write(now: EpochMs): void
  /** Begins anew. */
  discard(): void
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

/** Members fit into this many; a bucket number and a member make one exact number. */
const MEMBERS_MAX = 2 ** 21

export function createRollupSums(
  db: Database,
  onConflict: keyof typeof ON_CONFLICT = 'add',
): RollupSums {
  const upsert: Statement = db.prepare(
    `${INSERT} ON CONFLICT DO UPDATE SET ${ON_CONFLICT[onConflict]}`,
  )
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
    write(now) {
      for (const { grouping, sums } of byGrouping) {
        let finer = sums
        let finerSeconds = finestTier.seconds
        for (const tier of tiers) {
          const coarser = tier === finestTier ? sums : coarsened(finer, tier.seconds / finerSeconds)
          for (const [key, { requests, tokens, failed }] of coarser) {
            const bucketS = Math.floor(key / MEMBERS_MAX) * tier.seconds
            if (isKept(bucketS, tier, now))
              upsert.run(
                grouping,
                tier.seconds,
                bucketS,
                key % MEMBERS_MAX,
                requests,
                tokens,
                failed,
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
