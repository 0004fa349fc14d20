import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import {
  createFakeUpstream,
  type FakeUpstream,
  type FakeUsageRecord,
  samplePool,
} from '@svc/fake-proxy'
import { openSqlite } from '@svc/sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually, pause, secondsSince } from '../../../tooling/eventually.ts'
import { identitiesOf } from '../../../tooling/faults/crash-verdict.ts'
import { type ServedFake, serveFake } from '../../../tooling/serve-fake.ts'
import { freePort } from '../../../tooling/service/built-program.ts'
import { spawnService } from '../../../tooling/service/start-service.ts'
import { acceleratedClock } from '../../../tooling/test-instant.ts'
import { ownStore } from '../own-store.ts'

/** Sizes of the gates in full, or as much of them as a run for every change has time for. */
const isFull = process.env.SUBSCRIPTION_GATES === 'full'
const KEY = 'subscription-management-key'
const clock = acceleratedClock()

let fake: FakeUpstream
let served: ServedFake
let ends: (() => unknown)[] = []

beforeEach(async () => {
  fake = createFakeUpstream({
    now: clock.now,
    managementKey: KEY,
    accounts: samplePool(clock.now()),
  })
  fake.settings.resp = 'open'
  fake.settings.queueRetentionSeconds = 3_600
  served = await serveFake(fake, 0)
})
afterEach(async () => {
  for (const end of ends.reverse()) await end()
  ends = []
  await served.close()
})

const TICK_MS = 5
/** Records at this rate, or slower on a busy machine, until it is stopped. */
function traffic(perSecond: number): () => void {
  let count = 0
  let due = 0
  const timer = setInterval(() => {
    due += (perSecond * TICK_MS) / 1000
    for (; count < due; count += 1) record(count)
  }, TICK_MS)
  const stop = () => clearInterval(timer)
  ends.push(stop)
  return stop
}
function record(number: number): void {
  const account = fake.accounts[number % fake.accounts.length]
  if (account === undefined) return
  fake.usage.record({
    at: clock.now(),
    source: account.email,
    authIndex: fake.authIndexOf(account),
  })
}

interface Monitor {
  readonly child: ChildProcess
  readonly url: string
  log(): string
}
async function start(
  stateDb: string,
  flags: Readonly<Record<string, string>> = {},
): Promise<Monitor> {
  const port = String(await freePort())
  const child = spawnService(
    {
      where: 'program',
      time: { startsAt: clock.now() },
      args: ['--config', 'off'],
      flags: {
        'upstream-url': served.url,
        'state-db': stateDb,
        port,
        'usage-source': 'subscribe',
        'log-level': 'debug',
        ...flags,
      },
      key: KEY,
    },
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  ends.push(() => end({ child }, 'SIGKILL'))
  return { child, url: `http://127.0.0.1:${port}`, log: () => log }
}
async function end({ child }: Pick<Monitor, 'child'>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

function read<Row>(path: string, sql: string): readonly Row[] {
  const db = openSqlite(path)
  try {
    return db.prepare(sql).all() as readonly Row[]
  } finally {
    db.close()
  }
}
const storedCount = (path: string) =>
  read<{ count: number }>(path, 'SELECT count(*) AS count FROM usage')[0]?.count ?? 0
const gapsIn = (path: string) =>
  read<{ from_ms: number; to_ms: number; reason: string }>(
    path,
    'SELECT from_ms, to_ms, reason FROM gaps',
  )
/** Records of the proxy that are not stored. */
function lostIn(path: string): readonly FakeUsageRecord[] {
  const stored = new Set(
    read<{ id: string }>(path, "SELECT at_ms || ' ' || key AS id FROM usage").map(({ id }) => id),
  )
  const identities = identitiesOf('queue', fake, fake.usage.ledger)
  return fake.usage.ledger.filter(({ json }) => !stored.has(identities.get(json) ?? ''))
}
const isSubscribed = () => fake.usage.subscriberCount() > 0
const duplicates = async ({ url }: Monitor) =>
  Number(/usage_rows_duplicate_total (\d+)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1])

describe('a subscription', () => {
  it('ends and begins again under load, and nothing is lost or doubled', {
    timeout: 240_000,
  }, async (context) => {
    const { path } = ownStore(context)
    const monitor = await start(path)
    await eventually('it subscribes', isSubscribed)
    const stop = traffic(400)
    const rounds = isFull ? 30 : 6
    for (let round = 0; round < rounds; round += 1) {
      await pause(isFull ? 1_500 : 700)
      fake.usage.endSubscriptions()
      await eventually('it subscribes again', isSubscribed)
    }
    stop()
    await eventually('all is stored', () => storedCount(path) === fake.usage.ledger.length)
    expect(await duplicates(monitor)).toBe(0)
    context.task.meta.observed = `${rounds} reconnects, ${fake.usage.ledger.length} records: 0 lost, 0 doubled`
  })

  it('whose monitor is killed loses a few records, and tells each as a gap', {
    timeout: 400_000,
  }, async (context) => {
    const { path } = ownStore(context)
    const stop = traffic(200)
    const kills = isFull ? 20 : 3
    const handedAtKill: number[] = []
    const handedAtEnd: number[] = []
    for (let kill = 0; kill < kills; kill += 1) {
      const monitor = await start(path)
      await eventually('it subscribes', isSubscribed)
      await eventually('the queue is drained', () => fake.usage.waitingCount() === 0)
      await pause(2_000 + ((kill * 733) % 4_000))
      handedAtKill.push(fake.usage.ledger.length)
      await end(monitor, 'SIGKILL')
      handedAtEnd.push(fake.usage.ledger.length)
    }
    const last = await start(path)
    await eventually('it subscribes', isSubscribed)
    await pause(1_000)
    stop()
    await eventually('all is read', () => fake.usage.waitingCount() === 0)
    await pause(1_000)
    await end(last, 'SIGTERM')
    const lost = lostIn(path)
    const gaps = gapsIn(path)
    const untold = lost.filter(
      ({ at }) => !gaps.some(({ from_ms, to_ms }) => from_ms <= at && at <= to_ms),
    )
    // The system takes its time to end a process, and the proxy sends to its connection meanwhile.
    const isAfterKill = (number: number) =>
      handedAtKill.some((count, kill) => number >= count && number < (handedAtEnd[kill] ?? 0))
    const exposed = lost.filter(({ number }) => !isAfterKill(number)).length
    context.task.meta.observed = `${kills} kills, ${fake.usage.ledger.length} records: ${lost.length} lost, ${exposed} of them handed over before the kill; gaps of ${gaps.map(({ from_ms, to_ms }) => to_ms - from_ms)} ms`
    expect(untold, context.task.meta.observed).toEqual([])
    if (isFull) expect(exposed, context.task.meta.observed).toBeLessThanOrEqual(2 * kills)
  })

  it('beside another subscriber gets all, as the other does', {
    timeout: 60_000,
  }, async (context) => {
    const { path } = ownStore(context)
    await start(path)
    await eventually('it subscribes', isSubscribed)
    let others = 0
    fake.usage.subscribe(
      () => {
        others += 1
        return true
      },
      () => undefined,
    )
    const stop = traffic(200)
    await pause(isFull ? 20_000 : 2_000)
    stop()
    await eventually('all is stored', () => storedCount(path) === fake.usage.ledger.length)
    expect(others).toBe(fake.usage.ledger.length)
    context.task.meta.observed = `${others} records for each`
  })

  it('on a dead network is told, and the gap covers what is lost', {
    timeout: 120_000,
  }, async (context) => {
    const { path } = ownStore(context)
    const relay = await aRelay()
    const monitor = await start(path, { 'upstream-url': relay.url })
    await eventually('it subscribes', isSubscribed)
    const stop = traffic(50)
    await pause(2_000)
    relay.freeze(true)
    const frozenMs = performance.now()
    await eventually('it is told', () => /poll failed source=usage/.test(monitor.log()))
    const toldSeconds = secondsSince(frozenMs)
    await pause(isFull ? 22_000 : 4_000)
    relay.freeze(false)
    const before = monitor.log().split('usage stored').length
    await eventually(
      'it subscribes again',
      () => monitor.log().split('usage stored').length > before + 3,
    )
    await pause(2_000)
    stop()
    await pause(1_500)
    await end(monitor, 'SIGTERM')
    const gaps = gapsIn(path)
    const lost = lostIn(path)
    context.task.meta.observed = `told after ${toldSeconds} s; ${lost.length} lost, gaps ${JSON.stringify(gaps)}`
    expect(
      lost.filter(({ at }) => !gaps.some(({ from_ms, to_ms }) => from_ms <= at && at <= to_ms)),
    ).toEqual([])
  })

  it('holds what comes while the store hangs', { timeout: 120_000 }, async (context) => {
    const { path } = ownStore(context)
    await start(path)
    await eventually('it subscribes', isSubscribed)
    record(0)
    await eventually('it is stored', () => storedCount(path) === 1)
    const db = openSqlite(path)
    db.exec('BEGIN IMMEDIATE')
    const total = isFull ? 12_000 : 3_000
    for (let number = 1; number < total; number += 1) {
      record(number)
      if (number % 24 === 0) await pause(10)
    }
    db.exec('ROLLBACK')
    db.close()
    await eventually('all is stored', () => storedCount(path) === total)
    context.task.meta.observed = `${total} records: 0 lost`
  })
})

/** A relay to the proxy that can stop forwarding without ending a connection. */
async function aRelay() {
  const { port } = new URL(served.url)
  let isFrozen = false
  const sockets = new Set<Socket>()
  const relay: Server = createServer((near) => {
    const far = connect(Number(port), '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('data', (chunk) => void (isFrozen || to.write(chunk)))
      from.on('close', () => to.destroy())
    }
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  ends.push(() => {
    for (const socket of sockets) socket.destroy()
    relay.close()
  })
  const address = relay.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    freeze(frozen: boolean) {
      isFrozen = frozen
    },
  }
}
