import { sql } from 'drizzle-orm'
import { HistoryError } from '../contract/history-error.ts'
import type { UsageLocation } from '../contract/history-store.ts'
import { onlyValue } from '../sql/connection.ts'
import type { StoredUsage } from '../sql/usage-reader.ts'
import { createUsageReader } from '../sql/usage-reader.ts'
import { connectionOf } from './address.ts'
import { versionOf } from './migrate.ts'
import { migrations } from './migrations/migrations.ts'
import { openSession, type Session } from './session.ts'
import { createUsageQueries } from './usage-query.ts'

/**
 * Pool of a few connections for reading, each of which serves one answer at a time. Opens them as needed, up to `max`; `first` is already open. A
 * connection with a failed answer is not used again.
 */
export function createReaderSessions(
  open: () => Promise<Session>,
  { first, max }: { readonly first: Session; readonly max: number },
) {
  const idle: Session[] = [first]
  const waiting: (() => void)[] = []
  const underWay = new Set<Promise<unknown>>()
  let busy = 0

  const turn = async () => {
    while (busy >= max) await new Promise<void>((resolve) => waiting.push(resolve))
    busy += 1
  }
  const answeredBy = async <Answer>(
    session: Session,
    work: (session: Session) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      const answer = await work(session)
      idle.push(session)
      return answer
    } catch (error) {
      // The connection may be lost or in the middle of an answer.
      void session.close()
      throw error
    }
  }
  const answered = async <Answer>(work: (session: Session) => Promise<Answer>): Promise<Answer> => {
    await turn()
    try {
      const session = idle.pop()
      if (session === undefined) return await answeredBy(await open(), work)
      return await answeredBy(session, work).catch(async (error: unknown) => {
        // A restarted database, or a firewall that has forgotten, has dropped its earlier connections, and answers over a new one.
        if (!isLost(error)) throw error
        for (const other of idle.splice(0)) void other.close()
        return answeredBy(await open(), work)
      })
    } finally {
      busy -= 1
      waiting.shift()?.()
    }
  }
  return {
    /**
     * Runs `work` on a free connection, once there is one. Rejects with the error of `work` or of opening a connection. `work` must only read, because
     * it runs again if an idle connection turns out to be lost.
     */
    use<Answer>(work: (session: Session) => Promise<Answer>): Promise<Answer> {
      const answer = answered(work)
      const ended: Promise<unknown> = answer
        .catch(() => undefined)
        .finally(() => underWay.delete(ended))
      underWay.add(ended)
      return answer
    },
    async close(): Promise<void> {
      await Promise.all(underWay)
      await Promise.all(idle.splice(0).map((session) => session.close()))
    },
  }
}

function isLost(error: unknown): boolean {
  return error instanceof HistoryError && error.code === 'unreachable'
}

/** Maximum of answers in progress at once. */
const SESSIONS_MAX = 4

/** Opens a store for reading, on the standby if one is named. Rejects with HistoryError. */
export async function openPostgresUsage({
  location,
  replica = null,
  passwordFile = null,
  retentionDays,
}: UsageLocation): Promise<StoredUsage> {
  // The password is read for every connection: it may change while the service runs.
  const open = () => openUpToDate(() => connectionOf(replica ?? location, passwordFile))
  const sessions = createReaderSessions(open, { first: await open(), max: SESSIONS_MAX })
  return createUsageReader(
    (read) =>
      sessions.use((session) =>
        read({
          db: session,
          queries: createUsageQueries(session),
          measured: () => measuredIn(session, replica !== null),
        }),
      ),
    retentionDays,
    sessions.close,
  )
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
  if (!isReplica) return { databaseBytes: databaseBytes ?? 0 }
  // The age of the newest commit that has reached it: the service commits every few seconds.
  const lag = await onlyValue(
    session,
    sql`SELECT CASE WHEN pg_is_in_recovery() THEN extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 END AS value`,
  )
  return { databaseBytes: databaseBytes ?? 0, lagSeconds: Math.max(0, lag ?? 0) }
}
