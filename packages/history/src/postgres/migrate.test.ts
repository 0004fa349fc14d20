import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { migrate, versionOf } from './migrate.ts'
import { migrations } from './migrations/migrations.ts'
import { openSession, type Session } from './session.ts'

const MONITORS = 4

const databases = ownDatabases()
afterAll(() => databases.remove())
let sessions: readonly Session[] = []
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  const address = await databases.nextAddress()
  sessions = await Promise.all(
    Array.from({ length: MONITORS }, () => openSession(connectionOf(address, null))),
  )
})
afterEach(async () => {
  for (const session of sessions) await session.close()
  sessions = []
})
const tablesOf = async (session: Session) =>
  (
    await session.rows<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'svc_quota_monitor' ORDER BY 1`,
    )
  ).map(({ name }) => name)

describe('the schema', () => {
  it('is made once, by whichever of several monitors comes first', async () => {
    const [session] = sessions as [Session]
    expect(await versionOf(session)).toBeNull()
    await Promise.all(sessions.map((session) => migrate(session)))

    expect(await versionOf(session)).toBe(migrations.length)
    expect(await tablesOf(session)).toEqual(
      expect.arrayContaining(['feeds', 'gaps', 'meta', 'rollup_60', 'usage']),
    )
  })

  it.each(['usage (x integer)', 'meta (x integer)'])(
    'is not made beside %s of another program',
    async (table) => {
      const [session] = sessions as [Session]
      await session.run('CREATE SCHEMA svc_quota_monitor')
      await session.run(`CREATE TABLE svc_quota_monitor.${table}`)

      await expect(migrate(session)).rejects.toMatchObject({
        code: 'not_permitted',
        detail: expect.stringContaining('a table that this program did not make'),
      })
    },
  )

  it('is left alone where it is up to date', async () => {
    const [session, reader] = sessions as [Session, Session]
    await migrate(session)
    // A database that may only be read can be opened all the same.
    await reader.run('SET default_transaction_read_only = on')
    await migrate(reader)

    expect(await versionOf(reader)).toBe(migrations.length)
  })

  it.each(migrations.map((_, version) => version))(
    'of version %i is brought up to date, and keeps what is in it',
    async (version) => {
      const [session] = sessions as [Session]
      await migrate(session, version)
      if (version > 0)
        await session.run(
          'INSERT INTO svc_quota_monitor.rollup_60 VALUES (0, 60, 0, 1, 2, 3, 4, 5, 6, 7)',
        )
      expect(await versionOf(session)).toBe(version)
      expect(await migrate(session)).toBe(version)
      expect(await migrate(session)).toBe(migrations.length)

      expect(await versionOf(session)).toBe(migrations.length)
      expect(await session.rows('SELECT requests FROM svc_quota_monitor.rollup_60')).toEqual(
        version > 0 ? [{ requests: 1 }] : [],
      )
      const full = await session.rows(
        `SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'svc_quota_monitor'::regnamespace AND c.relname LIKE 'rollup%'
           AND c.relkind = 'r' AND NOT 'fillfactor=80' = ANY (coalesce(c.reloptions, '{}'))`,
      )
      expect(full).toEqual([])
    },
  )

  it('of a newer program is refused, and stays as it is', async () => {
    const [session] = sessions as [Session]
    await migrate(session)
    await session.run(
      `UPDATE svc_quota_monitor.meta SET value = '999' WHERE name = 'schema_version'`,
    )

    await expect(migrate(session)).rejects.toMatchObject({ code: 'newer_version' })
    await expect(versionOf(session)).rejects.toMatchObject({ code: 'newer_version' })
  })
})
