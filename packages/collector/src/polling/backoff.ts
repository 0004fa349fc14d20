/** See docs/limits.md#pace-and-back-off. */
const BASE_MS = 1000
/** From this many failures in a row on, one attempt per longest wait. */
const OPEN_AFTER_FAILURES = 5

/** Milliseconds to wait after the n-th failure in a row (n >= 1): uniform in 0..min(max, base × 2^n), then always `maxMs`. */
export function backoffMs(failuresInARow: number, maxMs: number, random: () => number): number {
  if (failuresInARow >= OPEN_AFTER_FAILURES) return maxMs
  return random() * Math.min(maxMs, BASE_MS * 2 ** failuresInARow)
}

/** A factor of 0.9..1.1 that keeps many schedules from falling into step. */
export function jitterFactor(random: () => number): number {
  return 0.9 + 0.2 * random()
}
