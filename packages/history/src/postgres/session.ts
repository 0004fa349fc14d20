import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { SQL } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type Postgres from 'pg'
import type { Client, ClientConfig } from 'pg'
import { HistoryError } from '../contract/history-error.ts'
import * as tables from '../schema/postgres.ts'
import type { Connection } from '../sql/connection.ts'
import { storedText } from '../sql/dictionary.ts'
import { connectionOf } from './address.ts'
import { databaseError, databaseErrorOf } from './postgres-error.ts'

/** Oldest server version that supports the statements. */
const VERSION_MIN = 150_000
const CONNECT_MS_MAX = 5_000
/** Time-out for an answer, even if the server is still working on it. Longer than the time-out of every statement. */
const ANSWER_MS_MAX = 45_000
/** Idle time of a connection before the operating system probes the other end. */
const KEEP_ALIVE_MS = 5_000
/** Time without a byte from the server before a second connection asks whether the server still works on the statement. */
const SILENT_MS = 3_000
/** Assumed minimum speed of the network in bytes per millisecond, so that data still on its way to the server does not count as silence. */
const SENT_PER_MS = 100
/** Time-out of the second connection, which asks whether the server still works on a statement. */
const ASK_MS_MAX = 2_000
/** Longest wait for a server to end a connection. */
const GOODBYE_MS_MAX = 1_000
const INT8 = 20
/** SQLSTATE of a notice that is no warning. */
const SUCCESSFUL_COMPLETION = '00000'

/**
 * Statements that begin a transaction. Only `SET LOCAL` works behind a pooler that gives each transaction another connection. An idle transaction, as
 * of a stopped or disconnected monitor, is rolled back, so that the next monitor does not wait for its locks. Sums of a month do not fit into the 4 MB
 * that a server has for sorting by default, compiling a statement takes longer than it saves, the sums of a chart lie in memory, where it costs little to
 * look one up, and to start a second process takes ten milliseconds, in which a chart is read.
 */
const BEGIN = {
  write: `BEGIN; SET LOCAL statement_timeout = '30s'; SET LOCAL lock_timeout = '5s';
    SET LOCAL idle_in_transaction_session_timeout = '5s'; SET LOCAL synchronous_commit = on`,
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '30s';
    SET LOCAL jit = off; SET LOCAL work_mem = '16MB'; SET LOCAL random_page_cost = 1.1;
    SET LOCAL parallel_setup_cost = 10000`,
} as const

/** One connection to the database, which also runs SQL text with separate values. Every method rejects with HistoryError. */
export interface Session extends Connection {
  /** Rows of one statement, with 64-bit integers as numbers. */
  rows<Row extends object>(
    query: SQL | string,
    values?: readonly unknown[],
  ): Promise<readonly Row[]>
  run(query: SQL | string, values?: readonly unknown[]): Promise<number>
  close(): Promise<void>
}

/** Opens a connection. Rejects with HistoryError. */
export async function openSession(
  connection: ClientConfig | Promise<ClientConfig>,
): Promise<Session> {
  const given = await connection
  // Poolers pass this name on, unlike the number of a session.
  const name = `svc-quota-monitor ${randomUUID().slice(0, 8)}`
  const client = await connected({ application_name: name, ...given })
  const session = sessionOver(client, () => isAtWork(name, given))
  try {
    await requireVersion(session)
    return session
  } catch (error) {
    await session.close()
    throw error
  }
}

/** Opens a connection for some work, and closes it. Rejects with HistoryError and the errors of `work`. */
export async function withSession<Result>(
  location: string,
  passwordFile: string | null,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(connectionOf(location, passwordFile))
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}

async function connected(given: ClientConfig): Promise<Client> {
  const { Client, types } = loadPostgres()
  const client = new Client({
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    query_timeout: ANSWER_MS_MAX,
    types: {
      getTypeParser: ((id: number, format) =>
        id === INT8 ? Number : types.getTypeParser(id, format)) as typeof types.getTypeParser,
    },
    ...given,
  })
  // A connection lost while idle fails the next statement instead.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw databaseErrorOf(error)
  }
}

/**
 * Whether the server is working on a statement of the session with this name, as seen from another connection. False if it waits for the session, or
 * is unreachable.
 */
async function isAtWork(name: string, given: ClientConfig): Promise<boolean> {
  try {
    const limits = { connectionTimeoutMillis: ASK_MS_MAX, query_timeout: ASK_MS_MAX }
    const client = await connected({ ...given, ...limits, application_name: 'svc-quota-monitor' })
    try {
      return (await client.query(AT_WORK, [name])).rows.length > 0
    } finally {
      client.connection.stream.destroy()
    }
  } catch (error) {
    // A server that lets nobody else in is not silent.
    return databaseErrorOf(error).code !== 'unreachable'
  }
}

const AT_WORK = `SELECT 1 FROM pg_catalog.pg_stat_activity
  WHERE application_name = $1 AND state NOT LIKE 'idle%' AND wait_event_type IS DISTINCT FROM 'Client'`

function sessionOver(client: Client, isAtWork: () => Promise<boolean>): Session {
  const stream = client.connection.stream as Socket
  /** Destroys the socket without the usual goodbye, which would also wait for an answer. Other queries fail at once. */
  const giveUp = () => stream.destroy()
  /** Starts a timer that gives up if the server sends nothing and is not working. Clear it when the answer arrives. */
  const watchSilence = (sentBytes: number): NodeJS.Timeout => {
    let received = stream.bytesRead
    return setInterval(
      async () => {
        const before = stream.bytesRead
        const isSilent = before === received
        received = before
        if (isSilent && !(await isAtWork()) && stream.bytesRead === before) giveUp()
      },
      SILENT_MS + sentBytes / SENT_PER_MS,
    )
  }
  const asked = async (query: SQL | string, given: readonly unknown[] = []) => {
    const [sql, values] = query instanceof SQL ? textOf(query) : [query, given]
    const sentBefore = stream.bytesWritten
    const answer = client.query(sql, [...values])
    const watching = watchSilence(stream.bytesWritten - sentBefore)
    try {
      return await answer
    } catch (error) {
      const failure = databaseErrorOf(error)
      if (failure.code === 'unreachable') giveUp()
      throw failure
    } finally {
      clearInterval(watching)
    }
  }
  /**
   * Commits and requires that the standby has stored the commit too. A server that stops waiting for its standby, as at a statement's time-out, sends
   * a warning and then reports success. The code tells a warning from a notice, because the text depends on the server's language.
   */
  const commit = async () => {
    let isStoredTwice = true
    const onNotice = ({ code }: { readonly code?: string | undefined }) => {
      if (code !== SUCCESSFUL_COMPLETION) isStoredTwice = false
    }
    client.on('notice', onNotice)
    try {
      await asked('COMMIT')
    } finally {
      client.off('notice', onNotice)
    }
    if (!isStoredTwice) throw databaseError('busy')
  }
  const transaction: Session['transaction'] = async (kind, work) => {
    await asked(BEGIN[kind])
    try {
      const result = await work()
      await commit()
      return result
    } catch (error) {
      if (!stream.destroyed) await asked('ROLLBACK').catch(() => undefined)
      throw error
    }
  }
  return {
    tables,
    rows: async (query, values) => (await asked(query, values)).rows,
    run: async (query, values) => (await asked(query, values)).rowCount ?? 0,
    transaction,
    async close() {
      // Without this, closing would wait for a dead server until the network gives up.
      const lastMoment = setTimeout(giveUp, GOODBYE_MS_MAX)
      await client.end().catch(() => undefined)
      clearTimeout(lastMoment)
    },
  }
}

const dialect = new PgDialect()

/** Text and values of a statement. */
function textOf(query: SQL): [sql: string, values: readonly unknown[]] {
  const { sql, params } = dialect.sqlToQuery(query)
  return [sql, params.map((value) => (typeof value === 'string' ? storedText(value) : value))]
}

async function requireVersion({ rows }: Pick<Session, 'rows'>): Promise<void> {
  const [found] = await rows<{ server_version_num: string }>('SHOW server_version_num')
  if (Number(found?.server_version_num) < VERSION_MIN) throw databaseError('server_too_old')
}

let loaded: typeof Postgres | null = null

/** Loads the driver when it is first needed; a service that keeps its history in SQLite never loads it. Throws HistoryError: module_missing. */
function loadPostgres(): typeof Postgres {
  if (loaded !== null) return loaded
  try {
    loaded = createRequire(import.meta.url)('pg') as typeof Postgres
    return loaded
  } catch {
    throw new HistoryError(
      'module_missing',
      'the PostgreSQL driver (pg) is not installed',
      'Install svc-quota-monitor again without --omit=optional.',
    )
  }
}
