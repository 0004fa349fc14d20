import { sql } from 'drizzle-orm'
import { HistoryError } from '../contract/history-error.ts'
import type { StoredUsage, UsageLocation } from '../contract/stored-usage.ts'
import { readCourse, readPoolCycles } from '../sql/course-reader.ts'
import { readHealthHistory } from '../sql/health-reader.ts'
import { value } from '../sql/steps.ts'
import { usageTables } from '../sql/usage-tables.ts'
import { storedSeries, storedSummary, storedSums, type UsageTables } from '../usage/stored-usage.ts'
import { connectionOf } from './address.ts'
import { versionOf } from './migrate.ts'
import { migrations } from './migrations/migrations.ts'
import { createReaderSessions } from './reader-sessions.ts'
import { runSteps } from './run-steps.ts'
import { openSession, type Session } from './session.ts'
import { createUsageQueries } from './usage-query.ts'

/** Most answers in progress at once. */
const SESSIONS_MAX = 4

/** Opens a store for reading; the standby answers if one is named. Rejects with HistoryError. */
export async function openPostgresUsage({
  location,
  replica = null,
  passwordFile = null,
  retentionDays,
}: UsageLocation): Promise<StoredUsage> {
  // The password is read for every connection: it may change while the service runs.
  const open = () => openUpToDate(() => connectionOf(replica ?? location, passwordFile))
  const sessions = createReaderSessions(open, { first: await open(), max: SESSIONS_MAX })
  let labels: ReadonlyMap<string, string> = new Map()

  /** One read-only transaction per answer, so that it is of one moment. */
  const atOneMoment = <Answer>(read: (session: Session) => Promise<Answer>): Promise<Answer> =>
    sessions.use((session) => session.transaction('read', () => read(session)))
  const ofTables = <Answer>(read: (tables: UsageTables) => Promise<Answer>): Promise<Answer> =>
    atOneMoment(async (session) =>
      read(
        await usageTables((steps) => runSteps(session, steps), labels, {
          ...createUsageQueries(session),
          measured: () => measuredIn(session, replica !== null),
        }),
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
    course: (query, moment) =>
      atOneMoment((session) => runSteps(session, readCourse(query, moment))),
    health: (moment) => atOneMoment((session) => runSteps(session, readHealthHistory(moment))),
    cycles: (weights, moment) =>
      atOneMoment((session) => runSteps(session, readPoolCycles(weights, moment))),
    useLabels(next) {
      labels = next
    },
    close: () => sessions.close(),
  }
}

/** Refuses a store whose schema the writer has not updated yet: it lacks tables the queries need. */
async function openUpToDate(connection: () => ReturnType<typeof connectionOf>): Promise<Session> {
  const session = await openSession(connection())
  try {
    if ((await versionOf(session)) === migrations.length) return session
    throw new HistoryError('cannot_open', 'the history store is not brought up to date yet')
  } catch (error) {
    await session.close()
    throw error
  }
}

async function measuredIn(session: Session, isReplica: boolean) {
  const databaseBytes = await runSteps(
    session,
    value(sql`SELECT pg_database_size(current_database()) AS value`),
  )
  const lag = isReplica ? { lagSeconds: await lagSeconds(session) } : {}
  return { databaseBytes: databaseBytes ?? 0, ...lag }
}

/** Age of the newest commit that has reached a standby. The service commits every few seconds, so this is its lag. */
async function lagSeconds(session: Session): Promise<number> {
  const lag = await runSteps(
    session,
    value(
      sql`SELECT CASE WHEN pg_is_in_recovery() THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS value`,
    ),
  )
  return Math.max(0, lag ?? 0)
}
