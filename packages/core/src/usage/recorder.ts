import type { Account } from '../facts/account.ts'
import type { EpochMs } from '../facts/time.ts'
import type { UsageBatch } from './usage-detail.ts'

/** Facts of a store that help to read the records of another program. */
export interface RecorderContext {
  readonly accounts: readonly Account[]
  /** Names of the clients, which are API keys. */
  readonly clients: readonly string[]
  readonly now: EpochMs
}

/** A row of a table, or the object on a line. */
export type RecorderRow = Readonly<Record<string, unknown>>

/** Another program that records one request a row, in SQLite or JSON Lines. */
export interface RowRecorder {
  readonly form: 'rows'
  /** Tables of its SQLite file with one request a row; of several, any is enough. */
  readonly tables: readonly string[]
  /** Fields that are read; no other is. */
  readonly fields: readonly string[]
  /** Fields without which a file is not of this program. */
  readonly required: readonly string[]
  /** Whether it also exports JSON Lines with these fields. */
  readonly exportsLines: boolean
  /** Creates the reader of one row. The key of a request depends on the row's own id alone. */
  reader(context: RecorderContext): (row: RecorderRow) => UsageBatch
}

/** Another program that writes one JSON document. */
export interface DocumentRecorder {
  readonly form: 'document'
  /** Creates the reader of a whole document, which gives null for any other document. */
  reader(context: RecorderContext): (chunks: Iterable<Uint8Array>) => Iterable<UsageBatch> | null
}

export type Recorder = RowRecorder | DocumentRecorder
