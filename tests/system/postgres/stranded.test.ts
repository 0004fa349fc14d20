import { aFakeAccount } from '@svc/fake-proxy'
import {
  type PostgresServer,
  type Relay,
  type Stranding,
  startBouncer,
  startPostgres,
  startRelay,
  whyNoBouncer,
  whyNoPostgres,
} from '@svc/history/testing'
import type { Health, StatsTab } from '@svc/views'
import { afterEach, beforeEach, expect, it, type TestContext } from 'vitest'
import { eventually, secondsSince } from '../../../tooling/eventually.ts'
import { ownConnection } from '../../../tooling/service/built-program.ts'
import { type MonitorPair, monitorPair, type PairedMonitor } from './monitor-pair.ts'

/** `STRANDED_RUNS=5` for more. */
const RUNS = Number(process.env.STRANDED_RUNS ?? 1)

let server: PostgresServer
let database: string
let pair: MonitorPair
let task: TestContext['task']
const cleanUp: (() => unknown)[] = []
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) return context.skip(why)
  task = context.task
  server = await startPostgres()
  cleanUp.push(server.remove)
  database = await server.createDatabase()
  pair = await monitorPair(server, database, [aFakeAccount({ name: 'ana' })])
  cleanUp.push(pair.stop)
})
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step()
})

async function relayTo(port: number): Promise<Relay> {
  const relay = await startRelay(port)
  cleanUp.push(relay.close)
  return relay
}

/** Notes how long it took until a request was stored again. */
function observe(strandedMs: number): void {
  task.meta.observed = [task.meta.observed, `stored after ${secondsSince(strandedMs)} s`]
    .filter(Boolean)
    .join(', ')
  if (RUNS > 1) console.info(task.name, task.meta.observed)
}

/** How to reach the database by way of a port. */
function by(port: number): string {
  const way = new URL(server.address(database))
  way.port = String(port)
  return way.href
}

/** A first one that acts, and a second that stands by, each with its way to the database. */
async function bothRunning(
  ways: readonly [string, string],
): Promise<readonly [PairedMonitor, PairedMonitor]> {
  const first = await pair.start(ways[0])
  await pair.acts(first)
  const second = await pair.start(ways[1])
  await eventually('the second stands by', async () =>
    (await second.service.json<Health>('/api/v1/health')).sources.some(
      ({ reason }) => reason === 'standby',
    ),
  )
  pair.send(10)
  await stored(10)
  return [first, second]
}

const counted = (sql: string, from = server) => from.sql(sql, database).catch(() => '')
const stored = (count: number, from = server) =>
  eventually(
    `${count} requests are stored`,
    async () =>
      (await counted('SELECT count(*) FROM svc_quota_monitor.usage', from)) === String(count),
  )
/** The proxy, which keeps usage for a minute, has been asked in time. */
const expectNothingMissed = async (from = server) =>
  expect(await counted('SELECT count(*) FROM svc_quota_monitor.gaps', from)).toBe('0')

const WRITER = /synchronous_commit = on/

it.each<readonly [what: string, stranding: Stranding]>([
  ['connections', {}],
  ['answers of all connections', { answersOnly: true }],
  ['connections of the writers', { of: WRITER }],
  ['connections of the leases', { of: /INSERT INTO svc_quota_monitor\.leases/ }],
  ['connections of the readers', { of: /REPEATABLE READ READ ONLY/ }],
])('usage goes on, and is shown, where the %s never move again', async (_, stranding) => {
  const relay = await relayTo(server.port)
  const [first] = await bothRunning([by(relay.port), by(relay.port)])
  const shown = (count: number) =>
    eventually(
      `${count} requests are shown`,
      async () => (await first.service.json<StatsTab>('/api/v1/stats')).history.rows === count,
    )
  await shown(10)
  for (let run = 1; run <= RUNS; run += 1) {
    relay.strand(stranding)
    const strandedMs = performance.now()
    pair.send(7)
    await stored(10 + 7 * run)
    observe(strandedMs)
    await shown(10 + 7 * run)
  }

  await expectNothingMissed()
  expect((await pair.lease())?.term).toBe(1)
})

it('a monitor whose writer reaches nothing any more leaves its place to another, and says what it is', async () => {
  const relay = await relayTo(server.port)
  const [first, second] = await bothRunning([by(relay.port), server.address(database)])
  relay.strand({ of: WRITER, forever: true })
  const strandedMs = performance.now()
  pair.send(7)
  await stored(17)
  observe(strandedMs)

  expect(second.acts.pops).toBeGreaterThan(0)
  expect((await pair.lease())?.term).toBe(2)
  await eventually('the first is not ready', async () => {
    const answer = await fetch(`${first.service.url}/readyz`, ownConnection)
    await answer.arrayBuffer()
    return answer.status === 503
  })
  await expectNothingMissed()
})

it.for([
  ['them', 'monitors'],
  ['the database', 'server'],
] as const)(
  'behind pgBouncer usage goes on where its connections to %s never move again',
  async ([, to], context) => {
    const why = whyNoBouncer()
    if (why !== null) return context.skip(why)
    const relay = await relayTo(server.port)
    const bouncer = await startBouncer(
      to === 'server' ? { ...server, port: relay.port } : server,
      4,
    )
    cleanUp.push(bouncer.remove)
    const before = await relayTo(bouncer.port)
    await bothRunning([by(before.port), by(before.port)])
    for (let run = 1; run <= RUNS; run += 1) {
      const stranded = to === 'server' ? relay : before
      stranded.strand()
      const strandedMs = performance.now()
      pair.send(7)
      await stored(10 + 7 * run)
      observe(strandedMs)
    }
    await expectNothingMissed()
  },
)

it('usage goes on at the standby, to which the address moves, where the primary is stopped without a word', async () => {
  const standby = await server.standby()
  cleanUp.push(standby.remove)
  await server.sql("ALTER SYSTEM SET synchronous_standby_names = '*'; SELECT pg_reload_conf()")
  const relay = await relayTo(server.port)
  await bothRunning([by(relay.port), by(relay.port)])
  server.freeze()
  cleanUp.push(server.thaw)
  relay.strand({ to: standby.port })
  await standby.promote()
  const promotedMs = performance.now()
  pair.send(7)
  await stored(17, standby)
  observe(promotedMs)

  await expectNothingMissed(standby)
})
