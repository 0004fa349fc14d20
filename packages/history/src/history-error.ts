import type { HistoryFailureCode } from '@svc/core'

/** The store cannot do what was asked. The message is one line of our own that names no path. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError'
  readonly code: HistoryFailureCode
  /** What helps, as a sentence; null where the code says enough. */
  readonly remedy: string | null

  constructor(code: HistoryFailureCode, message: string = MESSAGES[code], remedy: string | null = null) {
    super(message)
    this.code = code
    this.remedy = remedy
  }

  /** Message and remedy as one line for a person; null where the code says enough. */
  get detail(): string | null {
    return this.remedy === null ? null : `${this.message}. ${this.remedy}`
  }
}

const MESSAGES: Readonly<Record<HistoryFailureCode, string>> = {
  module_missing: 'the SQLite module (better-sqlite3) is not installed or was not built on this machine',
  sqlite_too_old: 'the SQLite library is older than 3.51.3',
  cannot_open: 'the history store cannot be opened: check that its folder exists and may be written',
  network_file_system: 'the history store is on a network file system, where SQLite cannot lock it',
  not_a_database: 'the file is not an SQLite database',
  not_ours: 'the database is not a history store of this program',
  newer_version: 'the history store was written by a newer version of this program',
  corrupt: 'the history store is damaged',
  locked: 'another process uses the history store',
  several_names: 'the history store has a second name (a hard link), under which another program would damage it: remove one of them',
  busy: 'the history store is locked by another program',
  read_only: 'the history store cannot be written',
  disk_full: 'there is no space left for the history store',
  io_error: 'the disk under the history store reports errors',
  crashed: 'the writer of the history store has ended',
  replaced: 'the file of the history store was deleted or replaced',
  not_answering: 'the history store does not answer',
}

/** The path of the store leads to a folder, a pipe or a device. */
export function notAFile(): HistoryError {
  return new HistoryError('cannot_open', 'the path of the history store names something that is not a file')
}

/** Any failure of SQLite or the file system as a HistoryError. Its own text is dropped: it may quote a path. */
export function historyErrorOf(error: unknown): HistoryError {
  if (error instanceof HistoryError) return error
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const [, failure] = FAILURE_OF_CODE.find(([pattern]) => pattern.test(code)) ?? []
  if (failure !== undefined) return new HistoryError(failure)
  throw error
}

/** Result codes of SQLite, and of Node's file system. */
const FAILURE_OF_CODE: readonly (readonly [RegExp, HistoryFailureCode])[] = [
  [/^(?:SQLITE_FULL|ENOSPC|EDQUOT)$/, 'disk_full'],
  [/^SQLITE_(?:READONLY|PERM)|^E(?:ROFS|ACCES|PERM)$/, 'read_only'],
  [/^SQLITE_CORRUPT/, 'corrupt'],
  [/^SQLITE_NOTADB$/, 'not_a_database'],
  [/^SQLITE_(?:BUSY|LOCKED)/, 'busy'],
  [/^SQLITE_CANTOPEN|^E(?:NOENT|ISDIR|NOTDIR|LOOP|MFILE)$/, 'cannot_open'],
  [/^SQLITE_(?:IOERR|PROTOCOL)|^(?:EIO|EFBIG)$/, 'io_error'],
  [/^(?:MODULE_NOT_FOUND|ERR_MODULE_NOT_FOUND|ERR_DLOPEN_FAILED)$/, 'module_missing'],
]
