import { DAY_MS } from '@svc/core'
import { HistoryError } from '../../contract/history-error.ts'
import { versionOf } from '../../postgres/migrate.ts'
import { withSession } from '../../postgres/session.ts'
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
} from '../format/backup-lines.ts'

const ROWS_PER_PAGE = 5_000
const SCHEMA = 'svc_quota_monitor'

/** Backup source of a database, which monitors may keep writing. Rejects with HistoryError. */
export function withDatabaseSource<Result>(
  location: string,
  passwordFile: string | null,
  read: (source: BackupSource) => Promise<Result>,
): Promise<Result> {
  return withSession(location, passwordFile, async (session) => {
    const rows = async (sql: string) =>
      (await session.rows(sql)).map((row) => Object.values(row) as SourceRow)
    const engine: SourceEngine = {
      schema: `${SCHEMA}.`,
      byBytes: (column) => `${column} COLLATE "C"`,
      sumsOf: (tierSeconds) => `${SCHEMA}.rollup_${tierSeconds}`,
      exactSum: (column) => `least(sum(${column}), ${Number.MAX_SAFE_INTEGER})::bigint`,
      rows,
    }
    /** Reads with a cursor, so that only one page is in memory. */
    async function* pagesOf(
      table: SourceTable,
      names: StoredNames,
    ): AsyncGenerator<readonly string[]> {
      const linesOf = lineMaker(table, names)
      await session.run(`DECLARE backup NO SCROLL CURSOR FOR ${selectOf(table)}`)
      for (let isLast = false; !isLast; ) {
        const page = await rows(`FETCH ${ROWS_PER_PAGE} FROM backup`)
        isLast = page.length === 0
        yield linesOf(page, isLast)
      }
      await session.run('CLOSE backup')
    }
    const schemaVersion = await versionOf(session)
    if (schemaVersion === null || schemaVersion === 0)
      throw new HistoryError('not_ours', 'there is no history in this database')
    return await session.transaction('read', async () => {
      const tables = sourceTables(engine, await ratesUntilOf(engine))
      const names = await readStoredNames(engine)
      return await read({
        schemaVersion,
        count: async (table) =>
          table === 'usage'
            ? await countDays(rows)
            : Number((await rows(countQueryOf(tables[table])))[0]?.[0]),
        pages: (table) => pagesOf(tables[table], names),
      })
    })
  })
}

/** Counts requests day by day: one query for all could exceed the statement time-out. */
async function countDays(rows: (sql: string) => Promise<readonly SourceRow[]>): Promise<number> {
  const [[oldest, newest] = []] = await rows(`SELECT min(at_ms), max(at_ms) FROM ${SCHEMA}.usage`)
  let total = 0
  for (let from = Number(oldest); from <= Number(newest); from += DAY_MS) {
    const ofDay = `at_ms >= ${from} AND at_ms < ${from + DAY_MS}`
    const [[count] = []] = await rows(`SELECT count(*) FROM ${SCHEMA}.usage WHERE ${ofDay}`)
    total += Number(count)
  }
  return total
}
