import { epochMs } from '@svc/core'
import { openUsage } from '@svc/history'
import {
  type Bouncer,
  type PostgresServer,
  startBouncer,
  startPostgres,
  whyNoBouncer,
} from '@svc/history/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { expectHeld, loadOn } from './load.ts'

const ALL = { range: 'all', group: 'model', metric: 'tokens', top: 9, compare: false } as const
const NOW = epochMs(Date.UTC(2026, 11, 1))
const READERS = 3

const why = whyNoBouncer()
let server: PostgresServer
let bouncer: Bouncer
let database: string
beforeAll(async () => {
  if (why !== null) return
  server = await startPostgres()
  bouncer = await startBouncer(server)
  database = await server.createDatabase()
})
beforeEach((context) => {
  if (why !== null) context.skip(why)
})
afterAll(async () => {
  await bouncer?.remove()
  await server?.remove()
})

it('behind pgBouncer, whose transactions share two connections, two writers and their readers store and see all, once', async () => {
  const address = bouncer.address(database)
  // Both write the same rows.
  const loads = [loadOn(() => address), loadOn(() => address)]
  await Promise.all(loads.map((load) => load.more(2)))
  const readers = await Promise.all(
    Array.from({ length: READERS }, () => openUsage({ location: address, retentionDays: 90 })),
  )
  for (let round = 0; round < 10; round += 1)
    await Promise.all(readers.map((reader) => reader.series(ALL, NOW)))
  await Promise.all(loads.map((load) => load.more(5)))
  for (const load of loads) await load.finish()

  const stored = Math.max(...loads.map((load) => load.acknowledged()))
  await expectHeld(server, database, stored)
  const direct = await openUsage({ location: server.address(database), retentionDays: 90 })
  for (const reader of readers)
    expect(await reader.series(ALL, NOW)).toEqual(await direct.series(ALL, NOW))
  for (const reader of [...readers, direct]) await reader.close()
  expect(loads.flatMap((load) => [...load.failures()])).toEqual([])
})

it('without its server it is unreachable, and goes on with it', async () => {
  const of = await server.createDatabase()
  const load = loadOn(() => bouncer.address(of))
  await load.more(2)
  await server.kill()
  await load.failed('unreachable')
  await server.start()
  await load.more(2)
  await load.finish()

  await expectHeld(server, of, load.acknowledged())
  expect([...load.failures()]).toEqual(['unreachable'])
})
