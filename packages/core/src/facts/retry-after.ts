import { parseHttpDate } from './http-date.ts'
import type { EpochMs } from './time.ts'

/** Shortest wait another server may ask of us. See docs/limits.md#retry-after. */
export const RETRY_AFTER_SECONDS_MIN = 1
/** Longest wait another server may ask of us. */
export const RETRY_AFTER_SECONDS_MAX = 3600

const NON_NEGATIVE_NUMBER = /^\d{1,16}(?:\.\d{1,9})?(?:e\d{1,2})?$/i

/**
 * Seconds that a `Retry-After` asks for, 1..3600; null when it is missing, negative or unreadable. A date counts from the answer's own `Date`,
 * so a wrong clock on either side does not matter; without one from `now`.
 */
export function retryAfterSecondsOf(
  headers: { get(name: string): string | null },
  now: EpochMs,
): number | null {
  const text = headers.get('retry-after')?.trim() ?? ''
  const seconds = NON_NEGATIVE_NUMBER.test(text)
    ? Number(text)
    : secondsUntilDate(text, parseHttpDate(headers.get('date')) ?? now)
  if (seconds === null || seconds < 0) return null
  return Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(RETRY_AFTER_SECONDS_MIN, Math.ceil(seconds)))
}

function secondsUntilDate(text: string, from: EpochMs): number | null {
  const date = parseHttpDate(text)
  return date === null ? null : (date - from) / 1000
}
