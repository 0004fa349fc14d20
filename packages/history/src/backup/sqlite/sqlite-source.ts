import { HistoryError } from '../../contract/history-error.ts'
import type { Connection } from '../../sql/connection.ts'
import { connectionTo } from '../../sqlite/connection.ts'
import { NEWEST_VERSION, openForReading } from '../../sqlite/open-database.ts'
import { historyErrorOf } from '../../sqlite/sqlite-error.ts'
import type { BackupTable } from '../format/backup-format.ts'
import {
  type BackupSource,
  countQueryOf,
  lineMaker,
  ratesUntilOf,
  readStoredNames,
  type SourceEngine,
  type SourceRow,
  type SourceTable,
  type StoredNames,
  selectOf,
  sourceTables,
  type TablePart,
} from '../format/backup-lines.ts'

/** Page cache of a backup. Because a backup reads the store in order, 4 MiB are as good as the 16 MiB of readers. */
export const BACKUP_PAGE_CACHE = 'cache_size = -4096'

const ROWS_PER_PAGE = 1_000

/** Backup source of a file, with queries that other engines do not need. Methods throw SQLite's errors. */
export interface FileSource extends BackupSource {
  /** Pages of a table's rows. `part` limits requests, days and capacity; other tables are always whole. */
  pages(table: BackupTable, part?: Partial<TablePart>): Iterable<readonly string[]>
  readonly db: Connection
}

/** Backup source of a file, which a service may keep writing. Rejects with HistoryError and the errors of `read`. */
export async function withFileSource<Result>(
  path: string,
  read: (source: FileSource) => Promise<Result>,
): Promise<Result> {
  const db = openForReading(path)
  const prepared = (sql: string) => db.prepare(sql).raw()
  const rows = (sql: string) => prepared(sql).all() as readonly SourceRow[]
  const engine: SourceEngine = {
    schema: '',
    byBytes: (column) => column,
    sumsOf: (tierSeconds) => `(SELECT * FROM rollups WHERE tier_seconds = ${tierSeconds})`,
    exactSum: (column) => `min(total(${column}), ${Number.MAX_SAFE_INTEGER})`,
    rows,
  }
  function* pagesOf(table: SourceTable, names: StoredNames): Generator<readonly string[]> {
    const linesOf = lineMaker(table, names)
    let page: SourceRow[] = []
    for (const row of prepared(selectOf(table)).iterate() as IterableIterator<SourceRow>) {
      page.push(row)
      if (page.length < ROWS_PER_PAGE) continue
      yield linesOf(page)
      page = []
    }
    yield linesOf(page, true)
  }
  try {
    db.pragma(BACKUP_PAGE_CACHE)
    db.exec('BEGIN')
    const schemaVersion = Number(db.pragma('user_version', { simple: true }))
    if (schemaVersion === 0) throw new HistoryError('not_ours', 'there is no history in this file')
    if (schemaVersion < NEWEST_VERSION)
      throw new HistoryError(
        'cannot_open',
        'the file is of an earlier version: start the service with it once, which brings it up to date',
      )
    const names = await readStoredNames(engine)
    const ratesUntil = await ratesUntilOf(engine)
    const tables = (part?: Partial<TablePart>) => sourceTables(engine, ratesUntil, part)
    return await read({
      schemaVersion,
      count: async (table) => Number(rows(countQueryOf(tables()[table]))[0]?.[0]),
      pages: (table, part) => pagesOf(tables(part)[table], names),
      db: connectionTo(db),
    })
  } catch (error) {
    throw historyErrorOf(error)
  } finally {
    db.close()
  }
}
