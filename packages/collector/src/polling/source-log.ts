import type { Clock, Log, SourceFailureCode } from '@svc/core/service'

/** Least time between two lines of a source. See docs/limits.md#pace-and-back-off. */
const QUIET_MS = 60_000

type SourceState =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly code: SourceFailureCode; readonly message: string }

/**
 * Logs when a source starts to answer or to fail, and once a minute that it still fails. A change within a minute of the last line is
 * logged together with the first state after that minute; `changes` then counts the changes between, so that none is lost.
 */
export function createSourceLog(
  source: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): (state: SourceState) => void {
  let last: string | null = null
  let changes = 0
  let quietUntilMs = Number.NEGATIVE_INFINITY
  return (state) => {
    const word = state.kind === 'ok' ? 'ok' : state.code
    if (word !== last) changes += 1
    last = word
    if (clock.monotonicMs() < quietUntilMs || (word === 'ok' && changes === 0)) return
    const counted = changes > 1 ? { changes } : {}
    changes = 0
    quietUntilMs = clock.monotonicMs() + QUIET_MS
    if (state.kind === 'ok') log.info('source answers', { source, ...counted })
    else log.warn('source fails', { source, code: state.code, reason: state.message, ...counted })
  }
}
