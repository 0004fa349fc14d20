import { type EpochMs, epochMs } from '@svc/core'

const DAY_MS = 86_400_000
/** The proxy keeps unread records for at most this long, so what it hands out may be as old. See docs/upstream.md#usage-queue. */
const UNREAD_MS_MAX = 3_600_000

/**
 * Where the cut is, once a wrong clock has put it into the future, by the newest day that has sums; null: nowhere. Rows of a day that has been summed may
 * be gone, so they are not taken a second time; what the proxy may still hold is.
 */
export function cutAfterWrongClock(newestDayS: number | null, falseAfter: EpochMs): EpochMs | null {
  if (newestDayS === null) return null
  return epochMs(Math.min(falseAfter - UNREAD_MS_MAX, newestDayS * 1000 + DAY_MS))
}
