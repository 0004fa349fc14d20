import { hostname } from 'node:os'
import { aFakeAccount } from '@svc/fake-proxy'
import { ownDatabases, type PostgresServer, startRelay, whyNoPostgres } from '@svc/history/testing'
import type { Health, ReadError, Recommendations } from '@svc/views'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { eventually, secondsSince } from '../../../tooling/eventually.ts'
import { ownConnection } from '../../../tooling/service/built-program.ts'
import { type MonitorPair, monitorPair, type PairedMonitor } from './monitor-pair.ts'

const accounts = ['ana', 'ben', 'eva'].map((name) => aFakeAccount({ name }))

const databases = ownDatabases()
let server: PostgresServer
let database: string
let pair: MonitorPair
let first: PairedMonitor
let second: PairedMonitor
const cleanUp: (() => unknown)[] = []
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  server = await databases.server()
  database = await server.createDatabase()
  pair = await monitorPair(server, database, accounts)
})
afterEach(async () => {
  await pair?.stop()
  for (const step of cleanUp.splice(0).reverse()) await step()
})
afterAll(() => databases.remove())

/** The first acts for the proxy, and the second stands by. */
async function bothRunning(wayOfFirst?: string): Promise<void> {
  first = await pair.start(wayOfFirst)
  await pair.acts(first)
  second = await pair.start()
  await eventually('the second stands by', async () => (await offOf(second)).includes('usage'))
}

const rankingOf = async ({ service }: PairedMonitor) =>
  (await service.json<Recommendations>('/api/v1/recommendations')).items.map(
    ({ accountKey, routingScore }) => `${accountKey} ${routingScore}`,
  )
const offOf = async ({ service }: PairedMonitor) =>
  (await service.json<Health>('/api/v1/health')).sources
    .filter(({ reason }) => reason === 'standby')
    .map(({ id }) => id)
const takenOver = () =>
  eventually('the lease has its second term', async () => (await pair.lease())?.term === 2)
const stored = (count: number) =>
  eventually(`${count} requests are stored`, async () => (await pair.storedCount()) === count)

it('one of two asks the vendor and takes usage, and both show the same ranking', async () => {
  await bothRunning()
  pair.send(20)
  await stored(20)
  await eventually('both show the same', async () => {
    const [one, other] = await Promise.all([rankingOf(first), rankingOf(second)])
    return one.length === 3 && one.every((line, index) => line === other[index])
  })

  expect(second.acts).toEqual({ pops: 0, queries: 0 })
  expect(first.acts.queries).toBe(3)
  expect(await offOf(second)).toEqual(['direct_quota', 'usage'])
  expect(await offOf(first)).toEqual([])
})

it('the other refuses a refresh and says who asks, and both say so in their metrics', async () => {
  await bothRunning()
  const post = ({ service }: PairedMonitor) =>
    fetch(`${service.url}/api/v1/quota/refresh`, {
      ...ownConnection,
      method: 'POST',
      headers: { ...ownConnection.headers, Authorization: `Bearer ${pair.key}` },
    })
  expect((await post(first)).status).toBe(202)
  const holder = `${hostname()}:${new URL(first.service.url).port}`
  // It has to look who that is when it has just started.
  await eventually('the second names the first', async () => {
    const refused = await post(second)
    expect(refused.status).toBe(503)
    const body = (await refused.json()) as ReadError
    expect(body.status).toBe('standby')
    return body.holder === holder
  })

  const stranger = await fetch(`${second.service.url}/api/v1/quota/refresh`, {
    ...ownConnection,
    method: 'POST',
  })
  expect([stranger.status, ((await stranger.json()) as ReadError).holder]).toEqual([503, null])

  const leader = 'svc_quota_monitor_leader{upstream="default"}'
  expect(await first.service.metric(leader)).toBe(1)
  expect(await second.service.metric(leader)).toBe(0)
})

it('one of two subscribes, and the other takes over without a loss when it is killed', async ({
  task,
}) => {
  const { usage, settings } = pair.fake
  settings.resp = 'open'
  const start = () => pair.start(undefined, 'subscribe')
  first = await start()
  await eventually('the first subscribes', () => usage.subscriberCount() === 1)
  second = await start()
  await eventually('the second stands by', async () => (await offOf(second)).includes('usage'))
  for (let more = 1; more <= 10; more += 1) {
    pair.send(20)
    await stored(20 * more)
  }
  expect(usage.subscriberCount()).toBe(1)

  await first.service.stop('SIGKILL')
  await eventually('the proxy sees it gone', () => usage.subscriberCount() === 0)
  pair.send(20)
  await eventually('the second subscribes', () => usage.subscriberCount() === 1)
  pair.send(20)
  await stored(240)
  await second.service.stop()
  expect(await pair.storedCount()).toBe(usage.ledger.length)
  expect(usage.subscriberCount()).toBe(0)
  task.meta.observed = '240 requests of 240 stored over a kill and a takeover'
})

it('killed, the one is replaced by the other, and each request is stored once', async ({
  task,
}) => {
  await bothRunning()
  pair.send(20)
  await stored(20)
  const killedMs = performance.now()
  await first.service.stop('SIGKILL')
  pair.send(20)
  await takenOver()
  task.meta.observed = `taken over ${secondsSince(killedMs)} s after kill −9`
  await pair.acts(second)
  await stored(40)

  expect((await pair.lease())?.term).toBe(2)
  const queries = second.acts.queries
  expect(queries).toBeLessThanOrEqual(3)
})

it('ended in order, the one gives its place to the other', async ({ task }) => {
  await bothRunning()
  const stoppedMs = performance.now()
  first.service.child.kill('SIGTERM')
  await takenOver()
  task.meta.observed = `taken over ${secondsSince(stoppedMs)} s after it was told to stop`
  pair.send(10)
  await pair.acts(second)
  await stored(10)
})

it('stopped for a while, the one does nothing when it goes on: the other acts', async () => {
  await bothRunning()
  pair.send(10)
  await stored(10)
  first.service.child.kill('SIGSTOP')
  cleanUp.push(() => first.service.child.kill('SIGCONT'))
  await pair.acts(second)
  const before = { ...first.acts }
  first.service.child.kill('SIGCONT')
  await eventually('the first stands by', async () => (await offOf(first)).includes('usage'))
  pair.send(10)
  await stored(20)

  // What it was just asking when it was stopped is sent still.
  expect(first.acts.pops - before.pops).toBeLessThanOrEqual(1)
  expect(first.acts.queries - before.queries).toBeLessThanOrEqual(1)
  expect((await pair.lease())?.term).toBe(2)
})

it('cut off from the database, the one ends by itself, and stands by when it is back', async () => {
  const relay = await startRelay(server.port)
  cleanUp.push(() => relay.close())
  const way = new URL(server.address(database))
  way.port = String(relay.port)
  await bothRunning(way.href)
  pair.send(10)
  await stored(10)
  // Nobody listens there.
  relay.aim(1)
  await pair.acts(second)
  const before = { ...first.acts }
  pair.send(10)
  await stored(20)
  relay.aim(server.port)
  await eventually('the first stands by', async () => (await offOf(first)).includes('usage'))

  expect(first.acts).toEqual(before)
  expect((await pair.lease())?.term).toBe(2)
})

it('over a network that falls silent, the one ends in time, and what it had taken is stored when it answers again', async () => {
  const relay = await startRelay(server.port)
  cleanUp.push(() => relay.close())
  const way = new URL(server.address(database))
  way.port = String(relay.port)
  await bothRunning(way.href)
  pair.send(10)
  await stored(10)
  const positionNow = () => server.sql('SELECT last_poll_ms FROM svc_quota_monitor.feeds', database)
  const silent = new Promise<void>((resolve) => {
    first.onNextPop(() => {
      // Out of the queue, and not in the database.
      pair.send(7)
      relay.silence(true)
      resolve()
    })
  })
  await silent
  await pair.acts(second)
  pair.send(5)
  await stored(15)
  const before = { ...first.acts }
  const position = Number(await positionNow())
  relay.silence(false)
  await stored(22)
  await eventually('the first stands by', async () => (await offOf(first)).includes('usage'))

  expect(first.acts).toEqual(before)
  expect(pair.order.lastIndexOf(0)).toBeLessThan(pair.order.indexOf(1))
  expect((await pair.lease())?.term).toBe(2)
  expect(Number(await positionNow())).toBeGreaterThanOrEqual(position)
  // The pop in which the first fell silent was counted when the second took over, until it was stored.
  expect(await server.sql('SELECT count(*) FROM svc_quota_monitor.gaps', database)).toBe('0')
})

it('a commit that waits does not cost the lease', async () => {
  await bothRunning()
  pair.send(10)
  await stored(10)
  // Longer than a lease lasts.
  const locked = server.sql(
    'BEGIN; LOCK TABLE svc_quota_monitor.feeds IN EXCLUSIVE MODE; SELECT pg_sleep(15); COMMIT',
    database,
  )
  pair.send(10)
  await locked
  await stored(20)

  expect((await pair.lease())?.term).toBe(1)
  expect(second.acts.pops).toBe(0)
})
