import type { Clock, Log, SourceFailureCode } from '@svc/core'

/** At most one line per source in this time. Source: reliability F13. */
const QUIET_MS = 60_000

type SourceState = { readonly kind: 'ok' } | { readonly kind: 'failed'; readonly code: SourceFailureCode; readonly message: string }

/** Tells when a source begins to answer or to fail, and once a minute that it still fails. A change that comes too soon is told with a later state. */
export function createSourceLog(
  source: string,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): (state: SourceState) => void {
  let told: SourceState['kind'] | null = null
  let quietUntilMs = Number.NEGATIVE_INFINITY
  return (state) => {
    if (state.kind === 'ok' && told === 'ok') return
    if (clock.monotonicMs() < quietUntilMs) return
    told = state.kind
    quietUntilMs = clock.monotonicMs() + QUIET_MS
    if (state.kind === 'ok') log.info('source answers', { source })
    else log.warn('source fails', { source, code: state.code, reason: state.message })
  }
}
