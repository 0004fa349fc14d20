import type { HistoryFailureCode } from '@svc/core/service'
import { HistoryError } from '../contract/history-error.ts'

/** Any failure of the database or of the way to it as a HistoryError. Its own text is dropped: it may quote a value. */
export function databaseErrorOf(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const [, failure] = FAILURE_OF_CODE.find(([pattern]) => pattern.test(code)) ?? []
  return databaseError(failure ?? (code === '' ? failureOfDriver(error) : 'cannot_open'))
}

/** A failure of a database that its code says enough about. */
export function databaseError(code: HistoryFailureCode): HistoryError {
  return new HistoryError(code, code, null, 'postgres')
}

/** Without a code of its own it is the driver's: it has no password to say, the server does not encrypt, the connection ended, or no answer came. */
function failureOfDriver(error: unknown): HistoryFailureCode {
  const message = error instanceof Error ? error.message : ''
  if (message.startsWith('SASL')) return 'login_refused'
  return message.includes('does not support SSL') ? 'not_trusted' : 'unreachable'
}

/** SQLSTATE of the server, and codes of Node's network. See https://www.postgresql.org/docs/15/errcodes-appendix.html. */
const FAILURE_OF_CODE: readonly (readonly [RegExp, HistoryFailureCode])[] = [
  [/^(?:CERT|CRL|DEPTH|HOSTNAME|INVALID|SELF|UNABLE|ERR_TLS|ERR_SSL)_|^EPROTO$/, 'not_trusted'],
  [/^(?:08|57P0)|^E[A-Z]+$/, 'unreachable'],
  [/^28/, 'login_refused'],
  [/^42501$/, 'not_permitted'],
  [/^25006$/, 'read_only'],
  [/^53[12]00$/, 'disk_full'],
  [/^(?:53300|55P03|57014|40001|40P01)$/, 'busy'],
  [/^58/, 'io_error'],
  [/^XX00[12]$/, 'corrupt'],
]
