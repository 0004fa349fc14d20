import type { HistoryFailureCode } from '@svc/core/service'
import { HistoryError } from '../contract/history-error.ts'

/** Converts a failure of SQLite or the file system. Drops its text, which may quote a path. */
export function historyErrorOf(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error
  const code = codeOf(error)
  const [, failure] = FAILURE_OF_CODE.find(([pattern]) => pattern.test(code)) ?? []
  if (failure !== undefined) return new HistoryError(failure)
  throw error
}

/** Runs `work`, whose failures become HistoryError. */
export function asHistoryError<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw historyErrorOf(error)
  }
}

/** Result code of SQLite or of the file system; empty without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : ''
}

/** Patterns of result codes of SQLite, and of error codes of Node's file system. */
const FAILURE_OF_CODE: readonly (readonly [RegExp, HistoryFailureCode])[] = [
  // SQLite calls a full disk an I/O error where it makes room for the index of its log.
  [/^(?:SQLITE_FULL|SQLITE_IOERR_SHMSIZE|ENOSPC|EDQUOT)$/, 'disk_full'],
  [/^SQLITE_(?:READONLY|PERM)|^E(?:ROFS|ACCES|PERM)$/, 'read_only'],
  [/^SQLITE_CORRUPT/, 'corrupt'],
  [/^SQLITE_NOTADB$/, 'not_a_database'],
  [/^SQLITE_(?:BUSY|LOCKED)/, 'busy'],
  [/^SQLITE_CANTOPEN|^E(?:NOENT|ISDIR|NOTDIR|LOOP|MFILE)$/, 'cannot_open'],
  [/^SQLITE_(?:IOERR|PROTOCOL)|^(?:EIO|EFBIG)$/, 'io_error'],
  [/^(?:MODULE_NOT_FOUND|ERR_MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/, 'module_missing'],
]
