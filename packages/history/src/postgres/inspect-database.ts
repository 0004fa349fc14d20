import { versionOf } from './migrate.ts'
import { type Session, withSession } from './session.ts'

/** Reads counts and sizes of a history with one login, without any row. Rejects with HistoryError: the reason why the database cannot be read. */
export function databaseShape(address: string, passwordFile: string | null) {
  return readingOnce(address, passwordFile, async (session) => {
    const [about] = await session.rows<{ version: string; bytes: number }>(
      `SELECT current_setting('server_version') AS version,
        (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
         WHERE c.relnamespace = to_regnamespace('svc_quota_monitor') AND c.relkind = 'r') AS bytes`,
    )
    const tables = await session.rows<{ name: string; rows: number }>(
      `SELECT CASE WHEN c.relispartition THEN 'usage' ELSE c.relname END AS name,
        sum(greatest(c.reltuples, 0))::bigint AS rows
       FROM pg_class c WHERE c.relnamespace = to_regnamespace('svc_quota_monitor') AND c.relkind = 'r'
       GROUP BY 1 ORDER BY 1`,
    )
    return {
      engine: 'postgres' as const,
      serverVersion: about?.version ?? '',
      /** Null before the service's first start. */
      schemaVersion: await versionOf(session),
      bytes: about?.bytes ?? 0,
      /** The server's last estimate. Single requests count as one table, not one per day. */
      rowsByTable: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
    }
  })
}

/** Reads texts of a history that identify persons, with one login. Rejects with HistoryError: the reason why the database cannot be read. */
export function databaseNames(address: string, passwordFile: string | null) {
  return readingOnce(address, passwordFile, async (session) => {
    if ((await versionOf(session)) === null) return { apiNames: [], accountTitles: [], kept: [] }
    const texts = async (sql: string) =>
      (await session.rows<{ text: string }>(sql)).map(({ text }) => text)
    return {
      /** Names of clients, which may be their keys. */
      apiNames: await texts('SELECT name AS text FROM svc_quota_monitor.api_names'),
      accountTitles: await texts('SELECT title AS text FROM svc_quota_monitor.accounts'),
      /** Keys of the store itself, and the last state of accounts. */
      kept: await texts(
        `SELECT value AS text FROM svc_quota_monitor.meta WHERE name LIKE '%key' OR name LIKE 'account %'`,
      ),
    }
  })
}

function readingOnce<Answer>(
  address: string,
  passwordFile: string | null,
  read: (session: Session) => Promise<Answer>,
): Promise<Answer> {
  return withSession(address, passwordFile, (session) =>
    session.transaction('read', () => read(session)),
  )
}

/** Facts about a database for the history, read without changing anything. */
export interface DatabaseInspection {
  /** The server's version, as in `15.14`. */
  readonly version: string
  readonly role: string
  readonly isSuperuser: boolean
  /** Whether the history's tables exist or the role may create them. */
  readonly mayMakeTables: boolean
  /** Whether all existing tables of the history belong to the role. */
  readonly ownsTables: boolean
  readonly isStandby: boolean
  /** Whether transactions are read-only, also on a primary. */
  readonly isReadOnly: boolean
  /** Lag of a standby; 0 if it is up to date, and on a primary. */
  readonly lagSeconds: number
  /** False before the service's first start. */
  readonly hasTables: boolean
  /** Days with partitions of single requests, oldest first, as in `20261120`. */
  readonly days: readonly string[]
}

/** Logs in once and inspects the database. Rejects with HistoryError: the reason why the service could not use it. */
export function inspectDatabase(
  address: string,
  passwordFile: string | null,
): Promise<DatabaseInspection> {
  // As the service writes: a database, a role or a server may make each transaction read-only.
  return withSession(address, passwordFile, (session) =>
    session.transaction('write', async () => {
      const [seen] = await session.rows<Omit<DatabaseInspection, 'hasTables' | 'days'>>(ABOUT)
      if (seen === undefined) throw new Error('one row was expected')
      const hasTables = (await versionOf(session)) !== null
      const days = await session.rows<{ name: string }>(
        `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
         WHERE i.inhparent = to_regclass('svc_quota_monitor.usage') ORDER BY c.relname`,
      )
      return { ...seen, hasTables, days: days.map(({ name }) => name.replace(/^\D+/, '')) }
    }),
  )
}

const ABOUT = `
SELECT current_setting('server_version') AS version, r.rolname AS role, r.rolsuper AS "isSuperuser",
  CASE WHEN n.oid IS NULL THEN has_database_privilege(current_database(), 'CREATE')
    ELSE has_schema_privilege(n.oid, 'CREATE') END AS "mayMakeTables",
  NOT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
    AND NOT pg_has_role(c.relowner, 'USAGE')) AS "ownsTables",
  pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
  CASE WHEN NOT pg_is_in_recovery() OR pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
    ELSE coalesce(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0) END::float8 AS "lagSeconds"
FROM pg_roles r LEFT JOIN pg_namespace n ON n.nspname = 'svc_quota_monitor'
WHERE r.rolname = current_user`
