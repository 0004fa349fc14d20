import type { SourceFailureCode } from '@svc/core/service'
import { type UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'

/** What may go wrong on our own side. */
type OwnFailureCode = Extract<
  SourceFailureCode,
  'file_unreadable' | 'too_large' | 'bad_payload' | 'store_unavailable' | 'clock_doubted'
>

/**
 * A source that failed on this machine: its file cannot be used, our store takes nothing, or our clock is doubted. No call to the proxy or the vendor
 * failed, so it is not counted as one. The message is our own text: it never quotes a file.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: OwnFailureCode

  constructor(code: OwnFailureCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Any failure of a source, as the one or the other. */
export function sourceFailureOf(error: unknown): SourceError | UpstreamError {
  return error instanceof SourceError ? error : upstreamErrorOf(error)
}
