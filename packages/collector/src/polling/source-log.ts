import type { Clock, Log, SourceFailureCode } from '@svc/core/service'

/** Least time between two lines of a source. See docs/limits.md#pace-and-back-off. */
const QUIET_MS = 60_000

type SourceState =
  | { readonly kind: 'ok' }
  | { readonly kind: 'failed'; readonly code: SourceFailureCode; readonly message: string }

/**
 * Logs when a source starts to answer or to fail, and once a minute that it still fails. A change within a minute of the last line is
 * logged at its end, as the state is then, though nothing was asked since; `changes` counts the changes between, so that none is lost.
 */
export function createSourceLog(
  source: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): (state: SourceState) => void {
  let last: string | null = null
  let changes = 0
  let quietUntilMs = Number.NEGATIVE_INFINITY
  let cancelLater = () => {}
  const put = (state: SourceState) => {
    cancelLater()
    const counted = changes > 1 ? { changes } : {}
    changes = 0
    quietUntilMs = clock.monotonicMs() + QUIET_MS
    if (state.kind === 'ok') log.info('source answers', { source, ...counted })
    else log.warn('source fails', { source, code: state.code, reason: state.message, ...counted })
  }
  return (state) => {
    const word = state.kind === 'ok' ? 'ok' : state.code
    if (word !== last) changes += 1
    last = word
    if (changes === 0 && word === 'ok') return
    const leftMs = quietUntilMs - clock.monotonicMs()
    if (leftMs <= 0) return put(state)
    cancelLater()
    if (changes > 0) cancelLater = clock.schedule(leftMs, () => put(state))
  }
}
