import { migrations } from './migrations/migrations.ts'
import { databaseError } from './postgres-error.ts'
import type { Session } from './session.ts'

const VERSION = 'schema_version'

/** Brings the schema up to date, or to a version before. Several monitors may do so at once: the row of the version is locked by the first. Rejects with HistoryError. */
export async function migrate(session: Session, to = migrations.length): Promise<void> {
  if ((await versionOf(session)) === to) return
  // In statements of their own: who comes second finds them there, and two that come at once see one of them fail.
  // A role that owns the schema need not be one that may make others, which IF NOT EXISTS would ask for.
  if (!(await hasSchema(session)))
    await tolerated(session, 'CREATE SCHEMA IF NOT EXISTS svc_quota_monitor')
  await tolerated(
    session,
    'CREATE TABLE IF NOT EXISTS svc_quota_monitor.meta (name text PRIMARY KEY, value text NOT NULL)',
  )
  await session.run(
    'INSERT INTO svc_quota_monitor.meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [VERSION, '0'],
  )
  await session.transaction('write', async () => {
    const [row] = await session.rows<{ value: string }>(
      'SELECT value FROM svc_quota_monitor.meta WHERE name = $1 FOR UPDATE',
      [VERSION],
    )
    const version = Number(row?.value)
    requireKnown(version)
    for (const step of migrations.slice(version, to)) await session.run(step)
    if (version < to)
      await session.run('UPDATE svc_quota_monitor.meta SET value = $2 WHERE name = $1', [
        VERSION,
        String(to),
      ])
  })
}

async function hasSchema(session: Session): Promise<boolean> {
  const [found] = await session.rows<{ is_there: boolean }>(
    `SELECT to_regnamespace('svc_quota_monitor') IS NOT NULL AS is_there`,
  )
  return found?.is_there === true
}

/** The version of the schema; null where there is none yet. Rejects with HistoryError: newer_version. */
export async function versionOf(session: Session): Promise<number | null> {
  const [found] = await session.rows<{ is_there: boolean }>(
    `SELECT to_regclass('svc_quota_monitor.meta') IS NOT NULL AS is_there`,
  )
  if (found?.is_there !== true) return null
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

async function tolerated(session: Session, sql: string): Promise<void> {
  try {
    await session.run(sql)
  } catch {
    // Another monitor was quicker. Where it was something else, the next statement fails with the reason.
    await session.run(sql)
  }
}
