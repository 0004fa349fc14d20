import type { Leases } from '@svc/core/service'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { openPostgresLeases } from './leases.ts'
import { migrate } from './migrate.ts'
import { openSession } from './session.ts'

const databases = ownDatabases()
const open: Leases[] = []
afterEach(async () => {
  for (const leases of open.splice(0)) await leases.close()
})
afterAll(() => databases.remove())

const why = whyNoPostgres()
const TOKYO = 'proxy/tokyo'
const BERLIN = 'proxy/berlin'

/** A store of its own, monitors by name that share it, and a way to let time pass there. */
async function aStore() {
  const location = await databases.nextAddress()
  const session = await openSession(connectionOf(location, null))
  await migrate(session)
  await session.close()
  const monitor = (holder: string) => {
    const leases = openPostgresLeases({ location, holder })
    open.push(leases)
    return leases
  }
  return {
    monitor,
    /** As if so much time had passed in the database. */
    async pass(milliseconds: number) {
      const change = await openSession(connectionOf(location, null))
      await change.run(
        `UPDATE svc_quota_monitor.leases SET expires_at = expires_at - $1 * interval '1 millisecond'`,
        [milliseconds],
      )
      await change.close()
    },
  }
}

describe.skipIf(why !== null)(`leases in PostgreSQL ${why ?? ''}`, () => {
  it('are given to the first who asks, and the second hears who that is', async () => {
    const store = await aStore()
    const [a, b] = [store.monitor('a'), store.monitor('b')]

    expect(await a.take([TOKYO])).toMatchObject([
      { name: TOKYO, holder: 'a', isOurs: true, term: 1 },
    ])
    expect(await b.take([TOKYO, BERLIN])).toMatchObject([
      { name: BERLIN, holder: 'b', isOurs: true, term: 1 },
      { name: TOKYO, holder: 'a', isOurs: false, term: 1 },
    ])
  })

  it('are prolonged by their holder, with the same term', async () => {
    const store = await aStore()
    const a = store.monitor('a')
    await a.take([TOKYO])
    await store.pass(4_000)
    const [before] = await a.standing([TOKYO])
    const [after] = await a.take([TOKYO])

    expect(before?.remainingMs).toBeLessThanOrEqual(2_000)
    expect(after?.remainingMs).toBeGreaterThan(before?.remainingMs ?? 0)
    expect(after?.term).toBe(1)
  })

  it('that have ended go to the next who asks, with the next term', async () => {
    const store = await aStore()
    const [a, b] = [store.monitor('a'), store.monitor('b')]
    await a.take([TOKYO])
    await store.pass(6_000)

    expect(await a.standing([TOKYO])).toMatchObject([{ isOurs: false, remainingMs: 0 }])
    expect(await b.take([TOKYO])).toMatchObject([{ holder: 'b', isOurs: true, term: 2 }])
    expect(await a.take([TOKYO])).toMatchObject([{ holder: 'b', isOurs: false, term: 2 }])
  })

  it('that have ended are still of the same term for the same holder: nobody has decided in between', async () => {
    const store = await aStore()
    const a = store.monitor('a')
    await a.take([TOKYO])
    await store.pass(60_000)

    expect(await a.take([TOKYO])).toMatchObject([{ isOurs: true, term: 1 }])
  })

  it('are free at once when they are given back, and only by who has them', async () => {
    const store = await aStore()
    const [a, b] = [store.monitor('a'), store.monitor('b')]
    await a.take([TOKYO])
    await b.release([TOKYO])
    expect(await b.take([TOKYO])).toMatchObject([{ isOurs: false }])

    await a.release([TOKYO])
    expect(await b.take([TOKYO])).toMatchObject([{ isOurs: true, term: 2 }])
  })

  it('go to one of many who ask at once, each time', async () => {
    const store = await aStore()
    const names = Array.from({ length: 30 }, (_, number) => `proxy/p${number}` as const)
    const monitors = ['a', 'b', 'c', 'd'].map(store.monitor)
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        monitors.map((leases, index) => leases.take(index % 2 === 0 ? names : names.toReversed())),
      )
      for (const name of names) {
        const standings = answers.flat().filter((lease) => lease.name === name)
        expect(standings.filter(({ isOurs }) => isOurs)).toHaveLength(1)
        expect(new Set(standings.map(({ holder }) => holder)).size).toBe(1)
        expect(new Set(standings.map(({ term }) => term)).size).toBe(1)
      }
      await store.pass(6_000)
    }
  })

  it('are asked for again after the server was away', async () => {
    const store = await aStore()
    const a = store.monitor('a')
    await a.take([TOKYO])
    const server = await databases.server()
    await server.stop()
    await expect(a.take([TOKYO])).rejects.toMatchObject({ code: 'unreachable' })

    await server.start()
    expect(await a.take([TOKYO])).toMatchObject([{ isOurs: true, term: 1 }])
  })

  it('say that nothing is known of one that nobody ever had', async () => {
    const store = await aStore()

    expect(await store.monitor('a').standing([TOKYO])).toEqual([])
  })
})
