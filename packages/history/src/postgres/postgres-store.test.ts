import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { ownDatabases } from '../testing/own-databases.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, aDetail, NOW, someDetails } from '../testing/stored-usage.ts'

const databases = ownDatabases()
let address = ''
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  address = await databases.nextAddress()
})
afterAll(() => databases.remove())

describe('a store in a database', () => {
  it('is made when it is first opened, and is there the next time', async () => {
    const first = await openHistory(address)
    expect(await first.facts()).toMatchObject({
      isNew: true,
      engine: { name: 'postgres', serverVersion: expect.stringMatching(/^\d+\.\d+$/), dayCount: 0 },
      newestRecordAt: null,
      forgottenAsOf: null,
    })
    await first.usageOf('default').record(aBatch(someDetails(3)))
    await first.checkpoint()
    await first.close()

    const second = await openHistory(address)
    expect(await second.facts()).toMatchObject({
      isNew: false,
      newestRecordAt: NOW,
      forgottenAsOf: NOW - 2000,
      counters: { stored: 3 },
    })
    await second.close()
  })

  it('is opened by several at once, and is one', async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => openHistory(address)))
    await Promise.all(stores.map((store) => store.usageOf('default').record(aBatch([aDetail(1)]))))

    const facts = await Promise.all(stores.map((store) => store.facts()))
    expect(facts.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect(facts[3]?.counters).toMatchObject({ seen: 4, stored: 1, duplicate: 3 })
    for (const store of stores) await store.close()
  })

  it('answers what is asked at the same time, each for itself', async () => {
    const store = await openHistory(address)
    const broken = { ...aDetail(3), tokens: {} as number }
    const answers = await Promise.allSettled([
      store.usageOf('default').record(aBatch([broken])),
      store.facts(),
      store.usageOf('tokyo').record(aBatch([aDetail(1)])),
      store.quota.record({ points: [], readings: [], changes: [] }),
      store.usageOf('default').position(),
    ])

    expect(answers.map(({ status }) => status)).toEqual([
      'rejected',
      ...Array<string>(4).fill('fulfilled'),
    ])
    await store.close()
  })

  it('fails with a code where the database is gone', async () => {
    const store = await openHistory(address)
    const server = await databases.server()
    await server.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(address).pathname.slice(1)}'`,
    )

    await expect(store.facts()).rejects.toMatchObject({ code: 'unreachable' })
    await expect(store.usageOf('default').markPop(NOW)).rejects.toMatchObject({
      code: 'unreachable',
    })
    await store.close()
    await expect(openHistory(address.replace('svc@', 'nobody@'))).rejects.toMatchObject({
      code: 'login_refused',
    })
  })
})
