import { DAY_MS, type EpochMs, epochMs, HOUR_MS } from '@svc/core'

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
