import type { Socket } from 'node:net'
import { type EpochMs, plusMs } from '@svc/core'
import { Redacted } from '@svc/core/service'
import { NOW, silentLog } from '@svc/core/testing'
import type { UsageGap } from '@svc/core/usage'
import { answerResp, createFakeUpstream, type FakeUpstream } from '@svc/fake-proxy'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createManagementGate } from '../proxy/management-access.ts'
import { connectResp } from '../proxy/resp-connection.ts'
import { aSocketServer, closeServers, realClock } from '../testing/own-servers.ts'
import { aClient, anIngestedUsage, aSink } from '../testing/usage-equipment.ts'
import { createUsageFeed, wayOf } from './usage-feed.ts'
import { refusedBySink, type SinkRefusal } from './usage-sink.ts'

const KEY = 'right-key'
const clock = { ...realClock, now: () => plusMs(NOW, realClock.monotonicMs()) }
let fake: FakeUpstream
let sockets: Socket[] = []
let feeds: { stop(): Promise<void> }[] = []

beforeEach(() => {
  fake = createFakeUpstream({ now: clock.now, managementKey: KEY })
  fake.settings.resp = 'open'
})
afterEach(async () => {
  for (const feed of feeds) await feed.stop()
  feeds = []
  sockets = []
  closeServers()
})

/** A feed of a proxy that speaks RESP, and what it stores. Over HTTP the queue has nothing. */
async function aFeed({
  mode = 'subscribe' as 'auto' | 'queue' | 'subscribe',
  key = KEY,
  lastPollAt = null as EpochMs | null,
  standingSince = null as EpochMs | null,
  isStarved = (): boolean => false,
} = {}) {
  const url = await aSocketServer((socket) => {
    sockets.push(socket)
    if (fake.settings.resp === 'open') answerResp(fake, socket)
    else socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  })
  const gate = createManagementGate(clock)
  gate.useKey({ kind: 'key', key: new Redacted(key) })
  const stored: string[] = []
  const gaps: UsageGap[] = []
  const stands: (EpochMs | null)[] = []
  const waits: (EpochMs | null)[] = []
  const world = {
    failing: false,
    refusal: null as SinkRefusal | null,
    httpPops: 0,
    refreshes: 0,
    reconnects: 0,
  }
  let readTo = lastPollAt
  const answer = () => ({ receivedAt: clock.now(), proxyNow: null })
  const feed = createUsageFeed(
    {
      mode,
      client: aClient({
        get: async () => ({ ...answer(), body: {} }),
        async take(_path, _call, chunk) {
          world.httpPops += 1
          chunk(Buffer.from('[]'))
          return answer()
        },
        resp: (call) => connectResp(url, call, clock),
        facts: () => ({ version: null, generation: null, loadsPlugins: null, clockSkewSeconds: 0 }),
      }),
      gate,
      sink: aSink({
        refusal: () => world.refusal,
        now: clock.now,
        position: () => ({ lastPollAt: readTo }),
        stand: async (since) => void stands.push(since),
        standingSince: async () => standingSince,
        async recordGap(gap) {
          gaps.push(gap)
          readTo = gap.to
        },
        async storeQueue(answer, { usageAt }) {
          if (world.failing) throw refusedBySink('store_unavailable')
          let records: unknown[] = []
          try {
            records = JSON.parse(Buffer.from(answer).toString())
          } catch {
            return null
          }
          // Messages that are no records, as the decoder knows.
          const texts = records.map((record) => JSON.stringify(record))
          stored.push(...texts.filter((text) => !text.includes('refresh')))
          readTo = usageAt
          return anIngestedUsage()
        },
      }),
      isStarved,
      onReconnect() {
        world.reconnects += 1
      },
      onRefresh() {
        world.refreshes += 1
      },
      onPop() {},
      onWait: (since) => void waits.push(since),
      onForgotten() {},
      onUsage() {},
      onSettled() {},
    },
    { clock: clock, random: () => 0.5, log: silentLog },
  )
  feeds.push(feed)
  const poll = () => feed.pollAfresh()
  return {
    feed,
    poll,
    stored,
    gaps,
    stands,
    waits,
    gate,
    world,
    state: () => feed.reading().lastGood?.value,
  }
}

const record = (text: string) => fake.usage.recordRaw(text, clock.now())
const until = async (check: () => boolean) => {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('the way', () => {
  it.each([
    ['auto', false, 'lpop'],
    ['auto', true, 'subscribe'],
    ['queue', true, 'lpop'],
    ['subscribe', false, 'subscribe'],
  ] as const)('of %s, starved: %s, is %s', (mode, isStarved, way) => {
    expect(wayOf(mode, isStarved)).toBe(way)
  })
})

describe('a standing feed', () => {
  it('pops over RESP and never by HTTP, and turns to subscribing when it is starved', async () => {
    let starved = false
    const { poll, stored, state, world } = await aFeed({ mode: 'auto', isStarved: () => starved })
    record('{"a":1}')
    await poll()
    expect(stored).toEqual(['{"a":1}'])
    expect(state()).toMatchObject({ way: 'lpop' })
    expect(fake.usage.subscriberCount()).toBe(0)
    record('{"b":1}')
    await until(() => stored.length === 2)

    starved = true
    await poll()
    expect(state()).toMatchObject({ way: 'subscribe', notice: 'shared' })
    record('{"c":1}')
    await until(() => stored.length === 3)
    expect(world.httpPops).toBe(0)
  })

  it('stores what waited and what comes, heeds a refresh, and leaves nothing behind', async () => {
    const { feed, poll, stored, stands, gaps, world } = await aFeed()
    for (let number = 0; number < 1_200; number += 1) record(`{"n":${number}}`)
    await poll()
    expect(stored.length).toBe(1_200)
    fake.usage.announce('{"refresh":true}')
    record('{"live":1}')
    await until(() => stored.length === 1_201)
    expect(world.refreshes).toBe(1)
    expect(stands).toEqual([expect.any(Number)])

    await feed.stop()
    await until(() => fake.usage.subscriberCount() === 0)
    expect(stands.at(-1)).toBeNull()
    expect(gaps).toEqual([])
  })

  it('tells the gap after a reader that died, up to the first record that waited', async () => {
    const now = clock.now()
    const from = plusMs(now, -50_000)
    record(JSON.stringify({ timestamp: new Date(now - 30_000).toISOString(), latency_ms: 500 }))
    const { poll, gaps } = await aFeed({ lastPollAt: from, standingSince: plusMs(from, -1_000) })
    await poll()

    expect(gaps).toEqual([{ from, to: plusMs(now, -29_500), reason: 'subscriber_lost' }])
  })

  it.each([
    ['ends it, and tells no gap, for all was read', () => fake.usage.endSubscriptions(), []],
    ['breaks it, and tells the gap', () => sockets.at(-1)?.resetAndDestroy(), ['network']],
  ] as const)('connects again when the proxy %s', async (_how, end, reasons) => {
    const { poll, stored, gaps, world } = await aFeed()
    record('{"a":1}')
    await poll()
    end()
    await until(() => fake.usage.subscriberCount() === 0)
    record('{"b":1}')
    await until(() => fake.usage.subscriberCount() === 1 && stored.length === 2)

    expect(gaps.map(({ reason }) => reason)).toEqual(reasons)
    expect(world.reconnects).toBe(1)
  })

  it('keeps what the store refuses, and stores it later, once', async () => {
    const { poll, stored, world } = await aFeed()
    await poll()
    world.failing = true
    for (let number = 0; number < 100; number += 1) record(`{"n":${number}}`)
    expect(await poll()).toBe(false)
    world.failing = false
    await poll()

    expect(stored.length).toBe(100)
    expect(new Set(stored).size).toBe(100)
  })

  it('tells since when the oldest record waits for the store, and when none does', async () => {
    const { poll, stored, waits, world } = await aFeed()
    await poll()
    expect(waits).toEqual([null])
    world.failing = true
    const before = clock.now()
    record('{"a":1}')
    await until(() => waits.length === 2)
    expect(waits[1]).toBeGreaterThanOrEqual(before)
    expect(waits[1]).toBeLessThan(clock.now())
    record('{"b":1}')
    world.failing = false
    await poll()

    expect(stored).toHaveLength(2)
    expect(waits.slice(2)).toEqual([null])
  })

  it('stores the others where a record is not JSON', async () => {
    const { poll, stored, gaps } = await aFeed()
    for (const text of ['{"a":1}', '{"b":', '{"c":1}']) record(text)
    await poll()

    expect(stored).toEqual(['{"a":1}', '{"c":1}'])
    expect(gaps.map(({ reason }) => reason)).toEqual(['batch_lost'])
  })

  it('is held with HTTP by one refusal of the key', async () => {
    const { poll, gate, world } = await aFeed({ key: 'wrong' })
    for (let round = 0; round < 3; round += 1) expect(await poll()).toBe(false)

    expect(fake.gate.failuresOpen()).toBe(1)
    expect(gate.access()).toMatchObject({ kind: 'refused' })
    expect(world.httpPops).toBe(0)
  })

  it.each([
    ['auto', { way: 'http' }],
    ['subscribe', { way: 'http', notice: 'way_lost' }],
  ] as const)('reads the queue over HTTP where there is no RESP: %s', async (mode, state) => {
    fake.settings.resp = 'none'
    const feed = await aFeed({ mode })
    await feed.poll()

    expect(feed.state()).toMatchObject(state)
    expect(feed.world.httpPops).toBe(1)
  })

  it('of a standby leaves the subscription', async () => {
    const { poll, world } = await aFeed()
    await poll()
    world.refusal = 'standby'
    expect(await poll()).toBe(false)

    await until(() => fake.usage.subscriberCount() === 0)
  })
})
