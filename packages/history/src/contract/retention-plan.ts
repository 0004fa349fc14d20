import { DAY_MS, type EpochMs, epochMs } from '@svc/core'

/** Days that single requests and the course of the pool are kept. Rolled-up usage has its own tiers, in `usage/tiers.ts`. */
export interface RetentionPlan {
  /** Whole UTC days a usage row is kept; its day rollup stays. */
  readonly usageDays: number
  readonly historyDays: number
}

/** Time of a step and its most deleted rows per transaction, so that the lock is never held for long. */
export interface RetentionStep {
  readonly asOf: EpochMs
  readonly rowsMax: number
}

/** Start of the oldest day whose single rows a plan keeps. */
export function cutOf({ usageDays }: RetentionPlan, asOf: EpochMs): EpochMs {
  return epochMs((Math.floor(asOf / DAY_MS) - usageDays) * DAY_MS)
}
