import { statSync } from 'node:fs'
import type { Database } from '@svc/sqlite'
import { HistoryError } from '../contract/history-error.ts'
import type { StoredUsage, UsageLocation } from '../contract/stored-usage.ts'
import { readCourse, readPoolCycles } from '../sql/course-reader.ts'
import { readHealthHistory } from '../sql/health-reader.ts'
import { usageTables } from '../sql/usage-tables.ts'
import { storedSeries, storedSummary, storedSums } from '../usage/stored-usage.ts'
import { NEWEST_VERSION, openForReading } from './open-database.ts'
import { promised } from './promised.ts'
import { runSteps } from './run-steps.ts'
import { historyErrorOf } from './sqlite-error.ts'
import { createUsageQueries } from './usage-query.ts'

/** Refuses a store whose schema the writer has not updated yet: it lacks tables the queries need. */
function openUpToDate(location: string): Database {
  const db = openForReading(location)
  if (Number(db.pragma('user_version', { simple: true })) >= NEWEST_VERSION) return db
  db.close()
  throw new HistoryError('cannot_open', 'the history store is not brought up to date yet')
}

/** Opens a store for reading. Throws HistoryError. */
export function openSqliteUsage({ location, retentionDays }: UsageLocation): StoredUsage {
  const db = openUpToDate(location)
  const queries = promised(createUsageQueries(db))
  let labels: ReadonlyMap<string, string> = new Map()
  const tables = () =>
    usageTables(async (steps) => runSteps(db, steps), labels, {
      ...queries,
      measured: async () => ({ databaseBytes: fileBytes(location) + fileBytes(`${location}-wal`) }),
    })
  let turn: Promise<unknown> = Promise.resolve()

  /** Runs answers one after the other, each in its own transaction. */
  const atOneMoment = <Answer>(read: () => Answer | Promise<Answer>): Promise<Answer> => {
    const answer = turn.then(async () => {
      try {
        db.exec('BEGIN')
        return await read()
      } catch (error) {
        throw historyErrorOf(error)
      } finally {
        if (db.inTransaction) db.exec('COMMIT')
      }
    })
    turn = answer.catch(() => undefined)
    return answer
  }
  return {
    series: (query, now) => atOneMoment(async () => storedSeries(await tables(), query, now)),
    summary: (now) =>
      atOneMoment(async () => {
        const { history, ...recent } = await storedSummary(await tables(), now)
        return { ...recent, history: { ...history, retentionDays } }
      }),
    requests: (query) => atOneMoment(async () => (await tables()).requests(query)),
    sums: (group, between) => atOneMoment(async () => storedSums(await tables(), group, between)),
    useLabels(next) {
      labels = next
    },
    course: (query, moment) => atOneMoment(() => runSteps(db, readCourse(query, moment))),
    health: (moment) => atOneMoment(() => runSteps(db, readHealthHistory(moment))),
    cycles: (weights, moment) => atOneMoment(() => runSteps(db, readPoolCycles(weights, moment))),
    async close() {
      await turn
      db.close()
    },
  }
}

function fileBytes(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
