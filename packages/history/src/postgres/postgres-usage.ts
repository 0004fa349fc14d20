import { sql } from 'drizzle-orm'
import { HistoryError } from '../contract/history-error.ts'
import type { StoredUsage, UsageLocation } from '../contract/stored-usage.ts'
import { onlyValue } from '../sql/connection.ts'
import { createUsageReader } from '../sql/usage-reader.ts'
import { connectionOf } from './address.ts'
import { versionOf } from './migrate.ts'
import { migrations } from './migrations/migrations.ts'
import { createReaderSessions } from './reader-sessions.ts'
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
  const reader = createUsageReader(
    (read) =>
      sessions.use((session) =>
        read({
          db: session,
          queries: createUsageQueries(session),
          measured: () => measuredIn(session, replica !== null),
        }),
      ),
    retentionDays,
  )
  return { ...reader, close: () => sessions.close() }
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
  const databaseBytes = await onlyValue(
    session,
    sql`SELECT pg_database_size(current_database()) AS value`,
  )
  const lag = isReplica ? { lagSeconds: await lagSeconds(session) } : {}
  return { databaseBytes: databaseBytes ?? 0, ...lag }
}

/** Age of the newest commit that has reached a standby. The service commits every few seconds, so this is its lag. */
async function lagSeconds(session: Session): Promise<number> {
  const lag = await onlyValue(
    session,
    sql`SELECT CASE WHEN pg_is_in_recovery() THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS value`,
  )
  return Math.max(0, lag ?? 0)
}
