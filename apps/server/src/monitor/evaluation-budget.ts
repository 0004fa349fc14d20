/** How much of the processor evaluations may take. All times are monotonic milliseconds. */
export interface EvaluationBudget {
  /** An evaluation took from `startedMs` to `endedMs`. */
  spend(startedMs: number, endedMs: number): void
  /** When the next evaluation may begin, by who would see what it brings. */
  nextAtMs(audience: Audience): number
}

export interface Audience {
  /** Somebody waits for the next change. */
  readonly isAwaited: boolean
  /** Longest pause for those who read; null while nobody does. */
  readonly readPaceMs: number | null
}

/** Changes that come in quick succession are evaluated together, at least this long after the last evaluation ... */
const PAUSE_MS_MIN = 250
/** ... at most this long, so that what changed is recorded ... */
const PAUSE_MS_MAX = 60_000
/** ... at most this long while somebody waits for it ... */
const AWAITED_PAUSE_MS = 1_000
/** ... and so that while nobody reads evaluating takes at most one part in this many of the time, however large the pool. See docs/limits.md#processor-time. */
const PAUSE_PER_COST = 800
/** What may be spent at once, so that a start or a storm of changes shows without delay. */
const CREDIT_MS_MAX = 500

/** A credit that fills slowly and is spent by evaluations; one that is used up makes the pauses long. */
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
