import type { BackupTable } from './backup-format.ts'

/** The content of a store at one moment, in the form of a backup; valid until the callback that received it ends. */
export interface BackupSource {
  readonly schemaVersion: number
  counts(): Promise<Readonly<Record<BackupTable, number>>>
  /** Pages of a table's rows, each row as JSON, in an order that depends only on the content, not on the engine. */
  pages(table: BackupTable): Iterable<readonly string[]> | AsyncIterable<readonly string[]>
}

/** Reads a store of one engine. Rejects with HistoryError and the errors of `read`. */
export type WithBackupSource = <Result>(
  read: (source: BackupSource) => Promise<Result>,
) => Promise<Result>

/** Text of a number with a fraction, the same for every engine: the shortest exact one, never that of an integer. */
export function realText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value)
}
