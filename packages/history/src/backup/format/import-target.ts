import type { EpochMs } from '@svc/core'
import type { BackupLine } from './backup-reader.ts'
import type { BackupMeta } from './backup-values.ts'

/** A store that takes rows of backups. It only ever grows: nothing it holds is deleted, hidden or made less. Methods reject with HistoryError. */
export interface ImportTarget {
  /** How many rows one transaction takes. */
  readonly rowsMax: number
  /** Adds rows in one transaction. They come in the order of a backup. Resolves with the usage rows that were not there before. */
  add(lines: readonly BackupLine[]): Promise<number>
  /** Sums up the last day as well, once every row was added. */
  end(): Promise<void>
}

/** What the rows that are to come say of the store they come from. */
export interface ImportOrigin {
  readonly meta: BackupMeta
  /** A time that has certainly passed; it separates old sums from new ones. */
  readonly certainAt: EpochMs
}

/** Opens a store of one engine, and closes it at the end. Rejects with HistoryError, and with what `write` rejects with. */
export type WithImportTarget = <Result>(
  origin: ImportOrigin,
  write: (target: ImportTarget) => Promise<Result>,
) => Promise<Result>
