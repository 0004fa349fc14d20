import type { DiskRoom, FileUse } from '../facts/history-state.ts'
import { DAY_MS, type EpochMs } from '../facts/time.ts'

/** Shortest history from which a pace is derived. See docs/rules.md#health. */
const KNOWN_DAYS_MIN = 3
const KNOWN_REQUESTS_MIN = 1_000

/** Free space of a history in a file, and the time until it is full at the history's own growth over the last week. */
export function diskRoomOf(use: FileUse, retentionDays: number, now: EpochMs): DiskRoom {
  return { freeBytes: use.freeBytes, fullInDays: daysUntilFull(use, retentionDays, now) }
}

function daysUntilFull(
  { roomBytes, usedBytes, requestCount, requestsPerDay, oldestRowAt }: FileUse,
  retentionDays: number,
  now: EpochMs,
): number | null {
  const keptDays = oldestRowAt === null ? 0 : (now - oldestRowAt) / DAY_MS
  if (keptDays < KNOWN_DAYS_MIN || requestCount < KNOWN_REQUESTS_MIN || requestsPerDay === null)
    return null
  const requestBytes = usedBytes / requestCount
  // It grows until as much is forgotten a day as is stored.
  const fullGrown = requestBytes * requestsPerDay * retentionDays
  if (fullGrown - usedBytes <= roomBytes) return Number.POSITIVE_INFINITY
  const forgotten = keptDays < retentionDays ? 0 : requestCount / keptDays
  return Math.max(0, roomBytes) / (requestBytes * (requestsPerDay - forgotten))
}
