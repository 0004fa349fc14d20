import type { HistoryFailureCode } from '@svc/core/service'
import { clauseOf, storeConditions } from '@svc/views/messages'

/** What a HistoryError says, as a clause for one line: its own, or that of its code. */
export function storeErrorText(error: {
  readonly code: HistoryFailureCode
  readonly message: string
}): string {
  return error.message === error.code
    ? clauseOf(storeConditions[error.code].summary)
    : error.message
}

/** Recognised by its name, so that SQLite is loaded only where it is needed. */
export function isStoreError(
  error: unknown,
): error is { readonly code: HistoryFailureCode; readonly message: string } {
  return (
    error instanceof Error &&
    error.name === 'HistoryError' &&
    'code' in error &&
    String(error.code) in storeConditions
  )
}
