import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { UsageDetail, UsageStore } from '@svc/core/usage'
import { openHistory } from '@svc/history'
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

/** Stores requests with these numbers, which were popped at `at`. */
const storeRecords = (usage: UsageStore, at: EpochMs, first: number, count: number) => {
  const details = Array.from({ length: count }, (_, index) => detailOf(first + index))
  const batch = { receivedAt: at, details, quarantined: [], saturatedCount: 0 }
  return usage.record(batch, { lastPollAt: at, treeRequests: null })
}
/** The records of one pop. */
const storePop = (usage: UsageStore) => storeRecords(usage, POPPED_AT, 0, 3_000)

/** A store whose connection is cut while the pop that was marked is being stored: their rows are there, and their sums are waited for. */
async function cutWhileStoring() {
  const address = new URL(await databases.nextAddress())
  const server = await databases.server()
  const database = address.pathname.slice(1)
  const relay = await startRelay(Number(address.port))
  relays.push(relay)
  address.port = String(relay.port)
  const store = await openHistory(address.href)
  const usage = store.usageOf(DEFAULT_UPSTREAM)
  await storeRecords(usage, NOW, 3_000, 1)
  await usage.markPop(POPPED_AT)

  const held = await server.hold(
    'LOCK TABLE svc_quota_monitor.rollup_86400 IN ACCESS EXCLUSIVE MODE',
    database,
  )
  const storing = storePop(usage).catch((error: unknown) => error)
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

it('a pop is stored whole when it is sent again after a cut', async () => {
  const { location, failure, rowCount, sums } = await cutWhileStoring()
  expect(failure).toMatchObject({ code: 'unreachable' })
  expect(await rowCount()).toBe(1)

  const store = await openHistory(location)
  const usage = store.usageOf(DEFAULT_UPSTREAM)
  expect(await storePop(usage)).toMatchObject({ seen: 3_000, stored: 3_000 })
  expect(await usage.endInterruptedPop()).toBeNull()
  await store.close()
  expect([await rowCount(), await sums()]).toEqual([3_001, ''])
})

it('a pop is counted as lost, all of it, when nobody is left to send it again', async () => {
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
