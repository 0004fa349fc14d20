import { type EpochMs, plusMs } from '../facts/time.ts'
import { CLOCKS_APART_MS, SETTLED_AFTER_MS } from './time-witnesses.ts'

/** A time as of which all expired data was deleted. Spans are by the monotonic clock. */
export interface ForgottenAsOf {
  readonly at: EpochMs
  /** Milliseconds since `at` was last set. */
  readonly elapsedMs: number
  /** Milliseconds since `at` last moved further than the time that had passed. */
  readonly sinceStrideMs: number
}

/**
 * The time as of which old data may be deleted now; null if none may be. It follows `vouched`, but each move is at most the time since the
 * previous move plus a day. A move of that maximum length needs a clock that has run evenly for a while, and the next one waits as long
 * again. `last` null: the store holds nothing that could be deleted, so there is no earlier time to measure from.
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
