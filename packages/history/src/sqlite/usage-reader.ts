import type { Database } from '@svc/sqlite'
import { HistoryError, historyErrorOf } from '../contract/history-error.ts'
import type { StoredUsage, UsageLocation } from '../contract/stored-usage.ts'
import {
  GROUPING_OF,
  storedSeries,
  storedSummary,
  type UsageTables,
} from '../usage/stored-usage.ts'
import { createCourseReader } from './course-reader.ts'
import { createMeta } from './meta.ts'
import { NEWEST_VERSION, openForReading } from './open-database.ts'
import { promised } from './promised.ts'
import { createUsageExtent } from './usage-extent.ts'
import { createMemberNames } from './usage-members.ts'
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
  const meta = createMeta(db)
  const nameMembers = createMemberNames(db, meta)
  let labels: ReadonlyMap<string, string> = new Map()
  const tables: UsageTables = {
    ...promised(createUsageQueries(db)),
    extent: promised(createUsageExtent(db, location, meta)),
    named: async (group) => ({
      grouping: GROUPING_OF[group],
      members: nameMembers(group, labels),
    }),
  }
  const courses = createCourseReader(db)
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
    series: (query, now) => atOneMoment(() => storedSeries(tables, query, now)),
    summary: (now) =>
      atOneMoment(async () => {
        const { history, ...recent } = await storedSummary(tables, now)
        return { ...recent, history: { ...history, retentionDays } }
      }),
    useLabels(next) {
      labels = next
    },
    course: (query, moment) => atOneMoment(() => courses.course(query, moment)),
    async close() {
      await turn
      db.close()
    },
  }
}
