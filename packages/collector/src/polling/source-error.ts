import type { KeyFileProblem, SourceFailureCode } from '@svc/core/service'
import { type UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'

/** Codes of failures on this machine. */
type OwnFailureCode = Extract<
  SourceFailureCode,
  | 'file_unreadable'
  | 'file_untrusted'
  | 'too_large'
  | 'bad_payload'
  | 'store_unavailable'
  | 'clock_doubted'
>

/**
 * A failure of a source on this machine: its file cannot be used, our store accepts nothing, or our clock is doubted. Not counted as a
 * failed call. The message is our own text: it never quotes a file.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: OwnFailureCode

  constructor(code: OwnFailureCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Failure of a source whose file cannot be used; `what` names the file. */
export function unreadableFile(reason: KeyFileProblem, what: string): SourceError {
  const [code, why] = UNREADABLE[reason] ?? (['file_unreadable', 'cannot be read'] as const)
  return new SourceError(code, `${what} ${why}`)
}

const UNREADABLE: Readonly<
  Partial<Record<KeyFileProblem, readonly [code: OwnFailureCode, why: string]>>
> = {
  too_large: ['too_large', 'is too large'],
  empty: ['bad_payload', 'is empty'],
  utf16: ['bad_payload', 'is UTF-16; save it as UTF-8'],
  nul: ['bad_payload', 'holds NUL bytes, as no text does'],
  closed_folder: ['file_unreadable', 'is in a folder that this user may not enter'],
  foreign_owner: ['file_untrusted', 'belongs to another user, who could change it'],
  writable_by_others: ['file_untrusted', 'can be written by other users, or its folder can'],
}

/** Converts any thrown value to the failure of a source, on this machine or in a call. */
export function sourceFailureOf(error: unknown): SourceError | UpstreamError {
  return error instanceof SourceError ? error : upstreamErrorOf(error)
}
