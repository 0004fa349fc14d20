/** See docs/limits.md#pace-and-back-off. */
const BASE_MS = 1000
/** Failures in a row after which every wait has the maximum length. */
const OPEN_AFTER_FAILURES = 5

/** Milliseconds to wait after the n-th failure in a row (n >= 1): uniform in 0..min(max, base × 2^n), then always `maxMs`. */
export function backoffMs(failuresInARow: number, maxMs: number, random: () => number): number {
  if (failuresInARow >= OPEN_AFTER_FAILURES) return maxMs
  return random() * Math.min(maxMs, BASE_MS * 2 ** failuresInARow)
}

const LIVELY_BACKOFF_SECONDS_MIN = 30

/**
 * Longest wait after a failure of gateway, account list or usage. All other sources wait for the first two, and the proxy keeps usage only
 * briefly, so these retry within two periods of the proxy's return.
 */
export function livelyBackoffSecondsMax(periodSeconds: number): number {
  return Math.max(2 * periodSeconds, LIVELY_BACKOFF_SECONDS_MIN)
}

/** A factor of 0.9..1.1 that keeps schedules from falling into step. */
export function jitterFactor(random: () => number): number {
  return 0.9 + 0.2 * random()
}
