import { migrations } from './migrations/migrations.ts'
import { databaseError } from './postgres-error.ts'
import type { Session } from './session.ts'

const VERSION = 'schema_version'

/**
 * Migrates the schema to version `to`. Resolves with the previous version, 0 for a new schema. Several monitors may migrate at once, because the
 * first locks the row of the version. Rejects with HistoryError.
 */
export async function migrate(session: Session, to = migrations.length): Promise<number> {
  if ((await versionOf(session)) === to) return to
  // Separate statements: a second monitor finds schema and table there, and of two at once one fails. IF NOT EXISTS alone would require the right to
  // create schemas, which the owner of this one need not have.
  if (!(await exists(session, 'to_regnamespace', 'svc_quota_monitor')))
    await tolerate(session, 'CREATE SCHEMA IF NOT EXISTS svc_quota_monitor')
  await tolerate(
    session,
    'CREATE TABLE IF NOT EXISTS svc_quota_monitor.meta (name text PRIMARY KEY, value text NOT NULL)',
  )
  await session.run(
    'INSERT INTO svc_quota_monitor.meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [VERSION, '0'],
  )
  return session.transaction('write', async () => {
    const [row] = await session.rows<{ value: string }>(
      'SELECT value FROM svc_quota_monitor.meta WHERE name = $1 FOR UPDATE',
      [VERSION],
    )
    const version = Number(row?.value)
    requireKnown(version)
    for (const step of migrations.slice(version, to))
      await (typeof step === 'string' ? session.run(step) : step(session))
    if (version < to)
      await session.run('UPDATE svc_quota_monitor.meta SET value = $2 WHERE name = $1', [
        VERSION,
        String(to),
      ])
    return version
  })
}

/** Whether something of this name exists; `kind` is the function that looks for it. */
async function exists(session: Session, kind: 'to_regnamespace' | 'to_regclass', name: string) {
  const [found] = await session.rows(`SELECT 1 WHERE ${kind}($1) IS NOT NULL`, [name])
  return found !== undefined
}

/** Version of the schema; null without one. Rejects with HistoryError: newer_version. */
export async function versionOf(session: Session): Promise<number | null> {
  if (!(await exists(session, 'to_regclass', 'svc_quota_monitor.meta'))) return null
  const [row] = await session.rows<{ value: string }>(
    'SELECT value FROM svc_quota_monitor.meta WHERE name = $1',
    [VERSION],
  )
  if (row === undefined) return null
  requireKnown(Number(row.value))
  return Number(row.value)
}

function requireKnown(version: number): void {
  if (version > migrations.length) throw databaseError('newer_version')
}

async function tolerate(session: Session, sql: string): Promise<void> {
  try {
    await session.run(sql)
  } catch {
    // Another monitor may have been faster. If the cause is another, the next statement fails with it.
    await session.run(sql)
  }
}
