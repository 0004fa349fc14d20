/**
 * `5h`, `week`, `month`, `<seconds>s`, `spend` or `limit` for the account's own limits;
 * `code_review:<kind>` and `extra:<feature>:<kind>` for limits of another scope.
 */
export type WindowId = string

/** Length of the two windows every account is shown with, in seconds. Source: decisions §4. */
export const FIVE_HOUR_SECONDS = 5 * 3600
export const WEEK_SECONDS = 7 * 24 * 3600

/** How far a window's length may be off and still be called `5h` or `week`. Source: decisions §4. */
const PERIOD_TOLERANCE = 0.1
const MONTH_SECONDS_MIN = 28 * 24 * 3600
const MONTH_SECONDS_MAX = 31 * 24 * 3600

/** The id of a main window, by its length and never by its slot. */
export function windowIdOf(periodSeconds: number): WindowId {
  if (isNear(periodSeconds, FIVE_HOUR_SECONDS)) return '5h'
  if (isNear(periodSeconds, WEEK_SECONDS)) return 'week'
  if (periodSeconds >= MONTH_SECONDS_MIN && periodSeconds <= MONTH_SECONDS_MAX) return 'month'
  return `${Math.round(periodSeconds)}s`
}

/** True for the account's own limits; limits of another scope never touch routing or capacity. */
export function isMainWindow(id: WindowId): boolean {
  return !id.includes(':')
}

function isNear(seconds: number, target: number): boolean {
  return Math.abs(seconds - target) <= target * PERIOD_TOLERANCE
}
