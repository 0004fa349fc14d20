import { type EpochMs, epochMs } from '@svc/core'

/** How long single requests and the course of the pool are kept, in days. Rolled-up usage has its own tiers, in `usage/tiers.ts`. */
export interface RetentionPlan {
  /** Whole UTC days a usage row is kept; its day rollup stays. */
  readonly usageDays: number
  /** Days the course of the pool is kept. */
  readonly historyDays: number
}

/** As of when, and how much is deleted in one transaction at the most, so that nobody waits long for the lock. */
export interface RetentionStep {
  readonly asOf: EpochMs
  readonly rowsMax: number
}

const DAY_MS = 86_400_000

/** Start of the oldest day whose single rows a plan keeps. */
export function cutOf({ usageDays }: RetentionPlan, asOf: EpochMs): EpochMs {
  return epochMs((Math.floor(asOf / DAY_MS) - usageDays) * DAY_MS)
}
