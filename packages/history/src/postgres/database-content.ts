import { connectionOf } from './address.ts'
import { versionOf } from './migrate.ts'
import { openSession, type Session } from './session.ts'

/** Counts and sizes of a history in a database, without any row. */
export interface DatabaseShape {
  readonly engine: 'postgres'
  readonly serverVersion: string
  /** Null before the first start. */
  readonly schemaVersion: number | null
  readonly bytes: number
  /** The server's last estimate; single requests as one table, not by day. */
  readonly rowsByTable: Readonly<Record<string, number>>
}

/** Texts of a history that identify persons. */
export interface DatabaseNames {
  /** Names of clients, which may be their keys. */
  readonly apiNames: readonly string[]
  readonly accountTitles: readonly string[]
  /** Keys of the store itself, and the last state of accounts. */
  readonly kept: readonly string[]
}

/** Reads counts and sizes with one login. Rejects with HistoryError: the reason why the database cannot be read. */
export function databaseShape(
  address: string,
  passwordFile: string | null,
): Promise<DatabaseShape> {
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
      engine: 'postgres',
      serverVersion: about?.version ?? '',
      schemaVersion: await versionOf(session),
      bytes: about?.bytes ?? 0,
      rowsByTable: Object.fromEntries(tables.map(({ name, rows }) => [name, rows])),
    }
  })
}

/** Reads identifying texts with one login. Rejects with HistoryError: the reason why the database cannot be read. */
export function databaseNames(
  address: string,
  passwordFile: string | null,
): Promise<DatabaseNames> {
  return readingOnce(address, passwordFile, async (session) => {
    if ((await versionOf(session)) === null) return { apiNames: [], accountTitles: [], kept: [] }
    const texts = async (sql: string) =>
      (await session.rows<{ text: string }>(sql)).map(({ text }) => text)
    return {
      apiNames: await texts('SELECT name AS text FROM svc_quota_monitor.api_names'),
      accountTitles: await texts('SELECT title AS text FROM svc_quota_monitor.accounts'),
      kept: await texts(
        `SELECT value AS text FROM svc_quota_monitor.meta WHERE name LIKE '%key' OR name LIKE 'account %'`,
      ),
    }
  })
}

async function readingOnce<Answer>(
  address: string,
  passwordFile: string | null,
  read: (session: Session) => Promise<Answer>,
): Promise<Answer> {
  const session = await openSession(connectionOf(address, passwordFile))
  try {
    return await session.transaction('read', () => read(session))
  } finally {
    await session.close()
  }
}
