import { DAY_MS, type EpochMs, epochMs, HOUR_MS } from '@svc/core'

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

/** Longest retention of unread records in the proxy, and so their largest age. See docs/upstream.md#usage-queue. */
const UNREAD_MS_MAX = HOUR_MS

/**
 * The new cut after a wrong clock has put it into the future, from the newest day with sums; null: no cut. Rows of a day with sums may be deleted
 * already, so they are not accepted again, except those the proxy may still have.
 */
export function cutAfterWrongClock(newestDayS: number | null, falseAfter: EpochMs): EpochMs | null {
  if (newestDayS === null) return null
  return epochMs(Math.min(falseAfter - UNREAD_MS_MAX, newestDayS * 1000 + DAY_MS))
}
