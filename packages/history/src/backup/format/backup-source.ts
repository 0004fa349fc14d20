import type { BackupTable } from './backup-format.ts'

/** Everything a store holds at one moment, as a backup writes it; valid until what was given it ends. */
export interface BackupSource {
  /** The format its rows have. */
  readonly formatVersion: number
  readonly schemaVersion: number
  readonly counts: Readonly<Record<BackupTable, number>>
  /** Rows of a table, each one as JSON, some at a time; in an order that only what is stored decides, whatever the engine. */
  pages(table: BackupTable): Iterable<readonly string[]> | AsyncIterable<readonly string[]>
}

/** Reads a store of one engine. Rejects with HistoryError, and with what `read` rejects with. */
export type WithBackupSource = <Result>(
  read: (source: BackupSource) => Promise<Result>,
) => Promise<Result>

/** A number with a fraction, as every engine writes it: the shortest text that means it, never that of an integer. */
export function realText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value)
}
