/** Limits the processor time of evaluations. All times are monotonic milliseconds. */
export interface EvaluationBudget {
  /** Charges an evaluation that ran from `startedMs` to `endedMs`. */
  spend(startedMs: number, endedMs: number): void
  /** Earliest time of the next evaluation for this audience. */
  nextAtMs(audience: Audience): number
}

export interface Audience {
  /** Whether a user waits for the next change. */
  readonly isAwaited: boolean
  /** Longest pause for current readers; null without readers. */
  readonly readPaceMs: number | null
}

/** Shortest pause after an evaluation, so that changes in quick succession are evaluated together. */
const PAUSE_MS_MIN = 250
/** Longest pause, so that changes are recorded in time. */
const PAUSE_MS_MAX = 60_000
/** Longest pause while a user waits for a change. */
const AWAITED_PAUSE_MS = 1_000
/** Limit without readers: evaluations take at most one part in this many of the time, however large the pool. See docs/limits.md#processor-time. */
const PAUSE_PER_COST = 800
/** Largest credit in milliseconds, so that a start or a storm of changes shows without delay. */
const CREDIT_MS_MAX = 500

/** Creates a credit that fills slowly and is spent by evaluations; once it is used up, the pauses grow long. */
export function createEvaluationBudget(nowMs: number): EvaluationBudget {
  let creditMs = CREDIT_MS_MAX
  let creditedAtMs = nowMs
  let endedAtMs = 0
  let pauseEndsAtMs = 0

  return {
    spend(startedMs, endedMs) {
      const filledMs = creditMs + (endedMs - creditedAtMs) / PAUSE_PER_COST
      creditMs = Math.min(CREDIT_MS_MAX, filledMs) - (endedMs - startedMs)
      creditedAtMs = endedMs
      endedAtMs = endedMs
      const pauseMs = Math.max(PAUSE_MS_MIN, -creditMs * PAUSE_PER_COST)
      pauseEndsAtMs = endedMs + Math.min(PAUSE_MS_MAX, pauseMs)
    },
    nextAtMs({ isAwaited, readPaceMs }) {
      const longestMs = isAwaited ? AWAITED_PAUSE_MS : (readPaceMs ?? PAUSE_MS_MAX)
      return Math.min(pauseEndsAtMs, endedAtMs + longestMs)
    },
  }
}
