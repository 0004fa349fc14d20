import { type PostgresServer, startPostgres, whyNoPostgres } from '@svc/history/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually, pause } from '../../../tooling/eventually.ts'
import { batchesHeld, expectHeld, type Load, loadOn } from './load.ts'

/** `POSTGRES_KILLS=20` for more. */
const KILLS = Number(process.env.POSTGRES_KILLS ?? 4)

const servers: PostgresServer[] = []
let server: PostgresServer
let database: string
let load: Load | null = null
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  server = await startPostgres()
  servers.push(server)
  database = await server.createDatabase()
})
afterEach(async () => {
  await load?.stop()
  load = null
  for (const one of servers.splice(0)) await one.remove()
})

it(`killed ${KILLS} times under load, the database holds all that was told, once`, async ({
  task,
}) => {
  load = loadOn(() => server.address(database))
  await load.more(2)
  for (let kill = 0; kill < KILLS; kill += 1) {
    await pause(kill * 7)
    await server.kill()
    const told = load.acknowledged()
    await server.start()
    expect(await batchesHeld(server, database)).toBeGreaterThanOrEqual(told)
    await load.more(2)
  }
  await load.finish()

  await expectHeld(server, database, load.acknowledged())
  expect([...load.failures()]).toEqual(['unreachable'])
  task.meta.observed = `${KILLS} × kill −9: ${load.acknowledged()} batches told of, each row once`
})

it('ended in order under load, it is unreachable until it runs again', async () => {
  load = loadOn(() => server.address(database))
  await load.more(2)
  await server.stop()
  await load.failed('unreachable')
  await server.start()
  await load.more(2)
  await load.finish()

  await expectHeld(server, database, load.acknowledged())
  expect([...load.failures()]).toEqual(['unreachable'])
})

it('a standby that takes over under load holds all that was told, once', async ({ task }) => {
  const standby = await server.standby()
  servers.push(standby)
  await server.sql("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")
  let primary = server
  load = loadOn(() => primary.address(database))
  await load.more(5)
  // Its clients find the standby first, as after an address has moved too early.
  primary = standby
  await server.kill()
  const told = load.acknowledged()
  await load.failed('read_only')
  expect(await batchesHeld(standby, database)).toBeGreaterThanOrEqual(told)

  await standby.promote()
  await load.more(5)
  await load.finish()
  await expectHeld(standby, database, load.acknowledged())
  expect([...load.failures()].sort()).toEqual(['read_only', 'unreachable'])
  task.meta.observed = `${told} batches told of by the first, ${load.acknowledged()} in all, each row once`
})

it('while the standby is away nothing is told to be stored, even where the server gives up waiting for it', async () => {
  const standby = await server.standby()
  servers.push(standby)
  await server.sql("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")
  load = loadOn(() => server.address(database))
  await load.more(2)
  await standby.kill()
  const waiting = `FROM pg_stat_activity WHERE wait_event = 'SyncRep'`
  await eventually(
    'a commit waits for the standby',
    async () => (await server.sql(`SELECT count(*) ${waiting}`)) === '1',
  )
  const told = load.acknowledged()
  await eventually('the store tells that it failed', async () => {
    await server.sql(`SELECT pg_cancel_backend(pid) ${waiting}`)
    return load?.failures().has('busy') === true
  })
  expect(load.acknowledged()).toBe(told)

  await standby.start()
  await load.more(2)
  await load.finish()
  await expectHeld(server, database, load.acknowledged())
  expect([...load.failures()]).toEqual(['busy'])
})
