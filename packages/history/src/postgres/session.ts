import type { Client, ClientConfig } from 'pg'
import { createTurns } from './in-turn.ts'
import { loadPostgres } from './postgres.ts'
import { databaseError, databaseErrorOf } from './postgres-error.ts'

/** The least version that the statements are written for. */
const VERSION_MIN = 150_000
const CONNECT_MS_MAX = 10_000
/** A server that does not answer at all, as when the network is cut without a word. Above the time-out of every statement. */
const ANSWER_MS_MAX = 45_000
/** How long a server may take to end a connection. */
const GOODBYE_MS_MAX = 1_000
const INT8 = 20
/** SQLSTATE of a notice that warns of nothing. */
const SUCCESSFUL_COMPLETION = '00000'

/**
 * How transactions of a session begin. `SET LOCAL` alone survives a pooler that gives each transaction another connection. One that nobody goes on with, as
 * of a monitor that is stopped or cut off, is undone, so that the monitor that takes over does not wait for its locks.
 */
const BEGIN = {
  write: `BEGIN; SET LOCAL statement_timeout = '30s'; SET LOCAL lock_timeout = '5s';
    SET LOCAL idle_in_transaction_session_timeout = '5s'; SET LOCAL synchronous_commit = on`,
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '30s'`,
} as const

/** One connection to the database. Every method rejects with HistoryError. */
export interface Session {
  /** Rows of one statement. Integers of 64 bits come as numbers. */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** How many rows a statement has changed. */
  run(sql: string, values?: readonly unknown[]): Promise<number>
  /** Runs `work` in one transaction, after the one before: all of it is stored, or nothing. Must not be nested. */
  transaction<Result>(kind: keyof typeof BEGIN, work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Connects, or rejects with HistoryError. */
export async function openSession(connection: ClientConfig): Promise<Session> {
  const { Client, types } = loadPostgres()
  const client = new Client({
    application_name: 'svc-quota-monitor',
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
    query_timeout: ANSWER_MS_MAX,
    types: {
      getTypeParser: ((id: number, format) =>
        id === INT8 ? Number : types.getTypeParser(id, format)) as typeof types.getTypeParser,
    },
    ...connection,
  })
  // A connection that is lost while nobody asks fails the next question instead.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await requireVersion(client)
  } catch (error) {
    await client.end().catch(() => undefined)
    throw databaseErrorOf(error)
  }
  return sessionOver(client)
}

function sessionOver(client: Client): Session {
  const inTurn = createTurns()
  const asked = async (sql: string, values: readonly unknown[] = []) => {
    try {
      return await client.query(sql, [...values])
    } catch (error) {
      throw databaseErrorOf(error)
    }
  }
  /**
   * A server that gives up waiting for its standby, as when a statement takes too long, says so in a warning and then that the commit is done. A warning is
   * told from a mere notice by its code: the word for it depends on the language of the server.
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
  const inTransaction = async <Result>(
    kind: keyof typeof BEGIN,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    await asked(BEGIN[kind])
    try {
      const result = await work()
      await commit()
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined)
      throw error
    }
  }
  return {
    rows: async (sql, values) => (await asked(sql, values)).rows,
    run: async (sql, values) => (await asked(sql, values)).rowCount ?? 0,
    transaction: (kind, work) => inTurn(() => inTransaction(kind, work)),
    async close() {
      await inTurn(async () => undefined)
      // A server that does not answer any more would be waited for until the network gives up.
      const lastMoment = setTimeout(() => client.connection.stream.destroy(), GOODBYE_MS_MAX)
      await client.end().catch(() => undefined)
      clearTimeout(lastMoment)
    },
  }
}

async function requireVersion(client: Client): Promise<void> {
  const { rows } = await client.query('SHOW server_version_num')
  if (Number(rows[0]?.server_version_num) < VERSION_MIN) throw databaseError('server_too_old')
}
