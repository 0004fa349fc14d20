import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { type Relay, type Stranding, startRelay } from '../testing/relay.ts'
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

describe('a session whose server says nothing', () => {
  /** Longer than anybody waits for a lost connection, and shorter than for a statement. */
  const LONG = 'SELECT pg_sleep(25)'
  let relay: Relay
  beforeEach(async () => {
    relay = await startRelay((await databases.server()).port)
  })
  afterEach(() => relay?.close())

  /** A session by way of the relay. */
  async function relayed(): Promise<Session> {
    const way = new URL(address)
    way.port = String(relay.port)
    return openSession(connectionOf(way.href, null))
  }
  const write = (one: Session) =>
    one.transaction('write', () => one.run('INSERT INTO kept VALUES (1)'))

  it.each<readonly [how: string, stranding: Stranding]>([
    ['neither way', {}],
    ['only what it answers', { answersOnly: true }],
  ])(
    'is given up where %s comes through, whatever waits for it, and another one works',
    async (_, stranding) => {
      const lost = await relayed()
      expect(await lost.rows('SELECT 1')).toHaveLength(1)
      relay.strand(stranding)
      let isPatient = true
      const long = session.rows(LONG).then(
        () => {
          isPatient = false
        },
        () => undefined,
      )

      const waiting = [write(lost), write(lost), lost.rows('SELECT 1')].map((one) =>
        expect(one).rejects.toMatchObject({ code: 'unreachable' }),
      )
      await Promise.all(waiting)
      await lost.close()
      const other = await relayed()
      await write(other)
      await other.close()

      expect(isPatient).toBe(true)
      const { sql } = await databases.server()
      await sql(`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query = '${LONG}'`)
      await long
    },
  )

  it('is given up in the middle of a transaction, which the server then undoes', async () => {
    const lost = await relayed()
    const half = lost.transaction('write', async () => {
      await lost.run('INSERT INTO kept VALUES (1)')
      relay.strand()
      await lost.run('INSERT INTO kept VALUES (2)')
    })
    await expect(half).rejects.toMatchObject({ code: 'unreachable' })
    await lost.close()

    await write(session)
    expect(await session.rows('SELECT x FROM kept')).toEqual([{ x: 1 }])
  })

  it('is kept while it works on a statement, or waits for a lock', async () => {
    const slow = await relayed()
    const server = await databases.server()
    const held = await server.hold('LOCK TABLE kept', new URL(address).pathname.slice(1))
    const waiting = slow.rows('SELECT count(*) FROM kept')
    expect(await session.rows('SELECT pg_sleep(7)')).toHaveLength(1)
    await held.release()
    expect(await waiting).toHaveLength(1)
    await slow.close()
  })
})
