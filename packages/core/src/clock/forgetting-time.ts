import { type EpochMs, plusMs } from '../facts/time.ts'
import { CLOCKS_APART_MS, SETTLED_AFTER_MS } from './time-witnesses.ts'

/** A time as of which all data that was too old was deleted. Spans are by the monotonic clock. */
export interface ForgottenAsOf {
  readonly at: EpochMs
  /** Milliseconds since it was set to `at`. */
  readonly elapsedMs: number
  /** Milliseconds since it last moved further than the time that had passed. */
  readonly sinceStrideMs: number
}

/**
 * The time as of which old data may be forgotten now; null if nothing may be. It follows `vouched`, but never moves further than the time that has
 * passed since its last move, plus a day. A stride of that length is made only once the clock has run evenly for a while, and the next one waits as
 * long again. `last` null: the store holds nothing that could be forgotten, so there is nothing to measure from.
 */
export function forgettingTimeOf(
  vouched: EpochMs | null,
  last: ForgottenAsOf | null,
  evenForMs: number,
): EpochMs | null {
  if (vouched === null || last === null) return null
  const isSettled = evenForMs >= SETTLED_AFTER_MS
  const passed = plusMs(last.at, last.elapsedMs)
  const furthest = plusMs(passed, CLOCKS_APART_MS)
  if (vouched <= furthest) return vouched
  return isSettled && last.sinceStrideMs >= SETTLED_AFTER_MS ? furthest : passed
}
