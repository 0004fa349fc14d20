import type { Account, EpochMs, Interval } from '@svc/core'
import type { BackupTable } from './backup-format.ts'
import type { BackupLine } from './backup-reader.ts'
import type { BackupMeta } from './backup-values.ts'

/** The content of a store at one moment, in the form of a backup; valid until the callback that received it ends. */
export interface BackupSource {
  readonly schemaVersion: number
  /** Number of a table's rows. */
  count(table: BackupTable): Promise<number>
  /** Pages of a table's rows, each row as JSON, in an order that depends only on the content, not on the engine. */
  pages(table: BackupTable): Iterable<readonly string[]> | AsyncIterable<readonly string[]>
}

/** Reads a store of one engine. Rejects with HistoryError and the errors of `read`. */
export type WithBackupSource = <Result>(
  read: (source: BackupSource) => Promise<Result>,
) => Promise<Result>

/** A store that accepts rows of backups. An import only adds to it: nothing is deleted, hidden or reduced. Methods reject with HistoryError. */
export interface ImportTarget {
  readonly rowsMax: number
  /** Adds rows in one transaction, in the order of a backup. Resolves with the number of new usage rows. */
  add(lines: readonly BackupLine[]): Promise<number>
  /** Sums up the last day. Call after the last row. */
  end(): Promise<void>
  facts(): Promise<TargetFacts>
  /** Stored requests that began at these times, of any proxy. */
  requestsAt(times: readonly EpochMs[]): Promise<readonly StoredRequest[]>
}

/** Facts about the store that takes the rows. */
export interface TargetFacts {
  readonly instance: string
  /** Accounts of the last list that a monitor stored. */
  readonly accounts: readonly Account[]
  /** Names of the clients, which are API keys. */
  readonly clients: readonly string[]
  /** Ordered by start. */
  readonly gaps: readonly Interval[]
}

/** Facts that two records of one request have in common. */
export interface StoredRequest {
  readonly at: number
  /** Signed 64-bit number as text. */
  readonly key: string
  readonly account: string
  readonly client: string
  readonly model: string
  readonly tokens: number
}

/** Facts about the store that the rows come from. */
export interface ImportOrigin {
  readonly meta: BackupMeta
  /** The earlier of now and the newest row, a time that has certainly passed. Fine sums that have expired by then are not stored. */
  readonly certainAt: EpochMs
}

/** Opens a store of one engine and closes it at the end. Rejects with HistoryError and the errors of `write`. */
export type WithImportTarget = <Result>(
  origin: ImportOrigin,
  write: (target: ImportTarget) => Promise<Result>,
) => Promise<Result>

/** Number of rows read, and of rows that the store did not have. */
export interface ImportResult {
  readonly rows: number
  readonly added: number
}

/** Adds rows in transactions. Calls `turn` between two transactions with the number of rows so far. */
export async function addRows(
  target: ImportTarget,
  lines: Iterable<BackupLine>,
  turn: (written: number) => Promise<void>,
): Promise<ImportResult> {
  let rows = 0
  let added = 0
  let batch: BackupLine[] = []
  for (const line of lines) {
    batch.push(line)
    rows += 1
    if (batch.length < target.rowsMax) continue
    added += await target.add(batch)
    batch = []
    await turn(rows)
  }
  added += await target.add(batch)
  await target.end()
  return { rows, added }
}
