import { createRequire } from 'node:module'
import type Postgres from 'pg'
import type { Client, ClientConfig } from 'pg'
import { HistoryError } from '../contract/history-error.ts'
import { createTurns } from './in-turn.ts'
import { databaseError, databaseErrorOf } from './postgres-error.ts'

/** Least server version for the statements. */
const VERSION_MIN = 150_000
const CONNECT_MS_MAX = 10_000
/** Time-out for a server that does not answer, as on a cut network. Longer than the time-out of every statement. */
const ANSWER_MS_MAX = 45_000
/** Longest wait for a server to end a connection. */
const GOODBYE_MS_MAX = 1_000
const INT8 = 20
/** SQLSTATE of a notice without a warning. */
const SUCCESSFUL_COMPLETION = '00000'

/**
 * Statements that begin a transaction. Only `SET LOCAL` works behind a pooler that gives each transaction another connection. An idle transaction, as
 * of a stopped or disconnected monitor, is rolled back, so that the next monitor does not wait for its locks.
 */
const BEGIN = {
  write: `BEGIN; SET LOCAL statement_timeout = '30s'; SET LOCAL lock_timeout = '5s';
    SET LOCAL idle_in_transaction_session_timeout = '5s'; SET LOCAL synchronous_commit = on`,
  read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '30s'`,
} as const

/** One connection to the database. Every method rejects with HistoryError. */
export interface Session {
  /** Rows of one statement, with 64-bit integers as numbers. */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, values?: readonly unknown[]): Promise<number>
  /** Runs `work` in one transaction after the one before: all is stored, or nothing. Must not be nested. */
  transaction<Result>(kind: keyof typeof BEGIN, work: () => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

/** Connects, or rejects with HistoryError. */
export async function openSession(
  connection: ClientConfig | Promise<ClientConfig>,
): Promise<Session> {
  const { Client, types } = loadPostgres()
  const given = await connection
  const client = new Client({
    application_name: 'svc-quota-monitor',
    connectionTimeoutMillis: CONNECT_MS_MAX,
    keepAlive: true,
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
   * Commits and requires that the standby has stored it too. A server that stops waiting for its standby, as at a statement's time-out, sends a
   * warning and then reports the commit as done. The code tells a warning from a notice: its words depend on the server's language.
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
      // Without this, closing would wait for a dead server until the network gives up.
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

let loaded: typeof Postgres | null = null

/** The driver, loaded when it is first needed: a service that keeps its history in SQLite never loads it. Throws HistoryError: module_missing. */
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
