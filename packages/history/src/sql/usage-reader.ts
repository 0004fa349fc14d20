import type { StoredUsage } from '../contract/stored-usage.ts'
import {
  storedSeries,
  storedSummary,
  storedSums,
  type UsageQueries,
  type UsageTables,
} from '../usage/stored-usage.ts'
import type { Connection } from './connection.ts'
import { readCourse, readPoolCycles } from './course-reader.ts'
import { readHealthHistory } from './health-reader.ts'
import { usageTables } from './usage-tables.ts'

/** A connection for reading, with the queries that differ by engine. */
export interface ReadConnection {
  readonly db: Connection
  readonly queries: UsageQueries
  readonly measured: UsageTables['measured']
}

/** Reads usage over connections that each serve one answer at a time. Every method rejects with HistoryError. */
export function createUsageReader(
  use: <Answer>(read: (connection: ReadConnection) => Promise<Answer>) => Promise<Answer>,
  retentionDays: number,
): Omit<StoredUsage, 'close'> {
  let labels: ReadonlyMap<string, string> = new Map()
  /** Runs one read-only transaction per answer, so that the answer reflects one moment. */
  const atOneMoment = <Answer>(read: (db: Connection) => Promise<Answer>) =>
    use(({ db }) => db.transaction('read', () => read(db)))
  const ofTables = <Answer>(read: (tables: UsageTables) => Promise<Answer>) =>
    use(({ db, queries, measured }) =>
      db.transaction('read', async () =>
        read(await usageTables(db, labels, { ...queries, measured })),
      ),
    )
  return {
    series: (query, now) => ofTables((tables) => storedSeries(tables, query, now)),
    summary: (now) =>
      ofTables(async (tables) => {
        const { history, ...recent } = await storedSummary(tables, now)
        return { ...recent, history: { ...history, retentionDays } }
      }),
    requests: (query) => ofTables((tables) => tables.requests(query)),
    sums: (group, between) => ofTables((tables) => storedSums(tables, group, between)),
    course: (query, moment) => atOneMoment((db) => readCourse(db, query, moment)),
    health: (moment) => atOneMoment((db) => readHealthHistory(db, moment)),
    cycles: (weights, moment) => atOneMoment((db) => readPoolCycles(db, weights, moment)),
    useLabels(next) {
      labels = next
    },
  }
}
