import { DAY_MS, type EpochMs, epochMs, HOUR_MS, MINUTE_MS } from '@svc/core'
import type { Stretch } from '@svc/core/account'

/** The sample service is down for maintenance every ninth night and misses that time's usage. */
const EVERY_DAYS = 9
const START_MS = 3 * HOUR_MS + 20 * MINUTE_MS
const LENGTH_MS = 40 * MINUTE_MS

export function isUnderMaintenance(at: number): boolean {
  const day = Math.floor(at / DAY_MS)
  const sinceMidnight = at - day * DAY_MS
  return day % EVERY_DAYS === 0 && sinceMidnight >= START_MS && sinceMidnight < START_MS + LENGTH_MS
}

/** All maintenance begun between two instants, cut off at the second one; oldest first. */
export function maintenanceBetween(from: EpochMs, to: EpochMs): readonly Stretch[] {
  const nights: Stretch[] = []
  const everyMs = EVERY_DAYS * DAY_MS
  for (let night = Math.floor(from / everyMs) * everyMs; night <= to; night += everyMs) {
    const [start, end] = [
      Math.max(from, night + START_MS),
      Math.min(to, night + START_MS + LENGTH_MS),
    ]
    if (start < end) nights.push({ from: epochMs(start), to: epochMs(end) })
  }
  return nights
}

export function maintenanceMsBetween(from: EpochMs, to: EpochMs): number {
  return maintenanceBetween(from, to).reduce((sum, night) => sum + night.to - night.from, 0)
}
