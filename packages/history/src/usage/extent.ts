import { type EpochMs, epochMs } from '@svc/core'

const DAY_MS = 86_400_000
const COVERAGE_DAYS = 30

/** Since when there is usage, by the oldest row and the oldest sum of a day: days of which only the sum is left begin with the day. */
export function earliestOf(oldestRowMs: number | null, oldestDayS: number | null): EpochMs | null {
  const dayMs = oldestDayS === null ? null : oldestDayS * 1000
  if (oldestRowMs === null) return dayMs === null ? null : epochMs(dayMs)
  return epochMs(dayMs !== null && dayMs + DAY_MS <= oldestRowMs ? dayMs : oldestRowMs)
}

/** Since when usage is watched. What is older than the first poll was handed over by the proxy. */
export function watchedSince(
  earliest: EpochMs | null,
  firstPollAt: EpochMs | null,
): EpochMs | null {
  const known = [earliest, firstPollAt].filter((at) => at !== null)
  return known.length === 0 ? null : epochMs(Math.min(...known))
}

/** From when on it is said how much was observed: of the last thirty days at most. */
export function observedSince(firstPollAt: EpochMs | null, now: EpochMs): EpochMs {
  return firstPollAt === null ? now : epochMs(Math.max(firstPollAt, now - COVERAGE_DAYS * DAY_MS))
}
