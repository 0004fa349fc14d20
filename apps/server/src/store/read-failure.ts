import type { Clock, HistoryFailureCode, ReadFailure } from '@svc/core/service'

/** Longest time in which a store that is being created, or a reader that is being replaced, becomes readable again. */
const TOLERATED_MS = 30_000

/** Watches whether a store can be read. */
export interface ReadWatch {
  /** Passes the reading through and notes its outcome. */
  watched<Answer>(reading: Promise<Answer>): Promise<Answer>
  /** Null while readings succeed, and for the first 30 s of failures. */
  failure(): ReadFailure | null
  /** The store was opened again: earlier failures no longer count. */
  reopened(): void
}

export function createReadWatch(clock: Clock): ReadWatch {
  let first: { readonly sinceMs: number; readonly failure: ReadFailure } | null = null
  return {
    async watched(reading) {
      try {
        const answer = await reading
        first = null
        return answer
      } catch (error) {
        const { sinceMs, failure } = first ?? {
          sinceMs: clock.monotonicMs(),
          failure: { since: clock.now() },
        }
        first = { sinceMs, failure: { since: failure.since, reason: reasonOf(error) } }
        throw error
      }
    },
    failure: () =>
      first !== null && clock.monotonicMs() - first.sinceMs >= TOLERATED_MS ? first.failure : null,
    reopened() {
      first = null
    },
  }
}

/** Reasons a store can be written but not read. */
const REASONS = [
  'cannot_open',
  'busy',
  'read_only',
  'disk_full',
  'module_missing',
  'unreachable',
  'not_trusted',
  'login_refused',
  'not_permitted',
  'server_too_old',
] as const satisfies readonly HistoryFailureCode[]

function reasonOf(error: unknown): HistoryFailureCode | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return REASONS.find((reason) => reason === code) ?? null
}
