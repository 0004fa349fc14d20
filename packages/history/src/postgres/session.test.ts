import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { openSession, type Session } from './session.ts'

const databases = ownDatabases()
afterAll(() => databases.remove())
let address: string
let session: Session
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  address = await databases.nextAddress()
  session = await openSession(connectionOf(address, null))
  await session.run('CREATE TABLE kept (x bigint PRIMARY KEY)')
})
afterEach(() => session?.close())

const add = (x: number) => session.run('INSERT INTO kept VALUES ($1)', [x])
const kept = async () =>
  (await session.rows<{ x: number }>('SELECT x FROM kept ORDER BY x')).map(({ x }) => x)

describe('a session', () => {
  it('gives integers of 64 bits as numbers, and how many rows a statement has changed', async () => {
    expect(await session.run('INSERT INTO kept VALUES (1), (9007199254740991)')).toBe(2)
    expect(await kept()).toEqual([1, 9_007_199_254_740_991])
  })

  it('of a server that ends its connection fails from then on, and never later than that', async () => {
    const server = await databases.server()
    await server.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'svc-quota-monitor %'`,
    )
    await expect(kept()).rejects.toMatchObject({ code: 'unreachable' })
    await expect(kept()).rejects.toMatchObject({ code: 'unreachable' })
  })

  it('is closed though the server does not answer any more', async () => {
    const server = await databases.server()
    server.freeze()
    try {
      await session.close()
      await expect(kept()).rejects.toMatchObject({ code: 'unreachable' })
    } finally {
      server.thaw()
    }
  })
})

describe('a transaction', () => {
  it('is stored whole, or not at all', async () => {
    await session.transaction('write', () => add(1))
    const failed = session.transaction('write', async () => {
      await add(2)
      await add(1)
    })
    await expect(failed).rejects.toMatchObject({ code: 'cannot_open' })
    await session.transaction('write', () => add(3))

    expect(await kept()).toEqual([1, 3])
  })

  it('that only reads sees one moment, and writes nothing', async () => {
    await session.transaction('read', async () => {
      const before = await kept()
      const other = await openSession(connectionOf(address, null))
      await other.run('INSERT INTO kept VALUES (7)')
      await other.close()
      expect(await kept()).toEqual(before)
    })
    expect(await kept()).toEqual([7])
    const written = session.transaction('read', () => add(8))
    await expect(written).rejects.toMatchObject({ code: 'read_only' })
  })

  it('that the server commits with a warning, not with a mere notice, is not told as stored', async () => {
    await session.run(`
      CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE WARNING 'gave up waiting'; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON kept
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()`)

    const warned = session.transaction('write', () => add(1))
    await expect(warned).rejects.toMatchObject({ code: 'busy' })
    await session.run(`
      CREATE OR REPLACE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE NOTICE 'only said'; RETURN NULL; END $$`)
    expect(await session.transaction('write', () => add(2))).toBe(1)
  })
})
