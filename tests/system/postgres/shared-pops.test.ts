import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail } from '@svc/core/usage'
import { createIngest, type IngestTimes, openHistory } from '@svc/history'
import {
  type OwnDatabases,
  ownDatabases,
  type Relay,
  startRelay,
  whyNoPostgres,
} from '@svc/history/testing'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { wrongSums } from './sums-of-rows.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const POPPED_AT = plusMs(NOW, 4_000)

const databases: OwnDatabases = ownDatabases()
const relays: Relay[] = []
beforeEach((context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
})
afterEach(async () => {
  for (const relay of relays.splice(0)) await relay.close()
})
afterAll(() => databases.remove())

/** Three pops of numbers, each of which is a request. */
const ANSWERS = [0, 1_000, 2_000].map((first) =>
  Buffer.from(JSON.stringify(Array.from({ length: 1_000 }, (_, index) => first + index))),
)

function detailOf(number: number): UsageDetail {
  return {
    at: plusMs(NOW, number),
    key: BigInt(number),
    accountKey: `account ${number % 7}`,
    apiName: 'client',
    model: 'model',
    tokens: number,
    failed: false,
    provider: 'codex',
  }
}

const decoder: Parameters<typeof createIngest>[2] = {
  queue: (wire, { receivedAt }) => {
    const details = (wire as readonly number[]).map(detailOf)
    return {
      batch: { receivedAt, details, quarantined: [], saturatedCount: 0 },
      elementCount: details.length,
      listedCount: 0,
      activity: [],
      newestAt: null,
    }
  },
  tree: () => null,
}

const timesAt = (at: EpochMs): IngestTimes => ({
  receivedAt: at,
  usageAt: at,
  doubt: null,
  falseAfter: null,
  certain: at,
  latest: at,
})

/** A store whose connection is cut while the pops that were marked are being stored: their rows are there, and their sums are waited for. */
async function cutWhileStoring() {
  const address = new URL(await databases.nextAddress())
  const server = await databases.server()
  const database = address.pathname.slice(1)
  const relay = await startRelay(Number(address.port))
  relays.push(relay)
  address.port = String(relay.port)
  const store = await openHistory(address.href)
  const usage = store.usageOf(DEFAULT_UPSTREAM)
  const ingest = createIngest(store, DEFAULT_UPSTREAM, decoder)
  await ingest.queue([Buffer.from('[3000]')], timesAt(NOW))
  await usage.markPop(POPPED_AT)

  const held = await server.hold(
    'LOCK TABLE svc_quota_monitor.rollup_86400 IN ACCESS EXCLUSIVE MODE',
    database,
  )
  const storing = ingest.queue(ANSWERS, timesAt(POPPED_AT)).catch((error: unknown) => error)
  const isWaiting = `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = '${database}'`
  while ((await server.sql(isWaiting)) === '0') {}
  relay.aim(server.port)
  const failure = await storing
  await held.release()
  await store.close()
  const rowCount = async () =>
    Number(await server.sql('SELECT count(*) FROM svc_quota_monitor.usage', database))
  return { location: address.href, failure, rowCount, sums: () => wrongSums(server, database, NOW) }
}

it('pops that share a transaction are stored together when they are sent again after a cut', async () => {
  const { location, failure, rowCount, sums } = await cutWhileStoring()
  expect(failure).toMatchObject({ code: 'unreachable' })
  expect(await rowCount()).toBe(1)

  const store = await openHistory(location)
  const ingested = await createIngest(store, DEFAULT_UPSTREAM, decoder).queue(
    ANSWERS,
    timesAt(POPPED_AT),
  )
  expect(ingested?.tally).toMatchObject({ seen: 3_000, stored: 3_000 })
  expect(await store.usageOf(DEFAULT_UPSTREAM).endInterruptedPop()).toBeNull()
  await store.close()
  expect([await rowCount(), await sums()]).toEqual([3_001, ''])
})

it('pops that share a transaction are counted as lost, all of them, when nobody is left to send them again', async () => {
  const { location, rowCount } = await cutWhileStoring()

  const store = await openHistory(location)
  expect(await store.usageOf(DEFAULT_UPSTREAM).endInterruptedPop()).toEqual({
    from: NOW,
    to: POPPED_AT,
    reason: 'stopped_before_commit',
  })
  await store.close()
  expect(await rowCount()).toBe(1)
})
