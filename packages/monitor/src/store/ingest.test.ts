import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { epochMs, instantToIso, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { type HistoryStore, openHistory } from '@svc/history'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createIngest, type IngestTimes } from './ingest.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))

let folder: string
let store: HistoryStore
let ingest: ReturnType<typeof createIngest>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-ingest-'))
  store = await openHistory(join(folder, 'history.db'))
  ingest = createIngest(() => store, 'account')
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A request that began so many seconds before `NOW`. */
const record = (seconds: number) => ({
  timestamp: instantToIso(plusMs(NOW, -seconds * 1000)),
  auth_index: 'index',
  provider: 'codex',
  api_key: 'client',
  model: 'model',
  tokens: { total_tokens: 10 },
})

const timesAt = (seconds: number, changes: Partial<IngestTimes> = {}): IngestTimes => {
  const at = plusMs(NOW, seconds * 1000)
  return {
    receivedAt: at,
    usageAt: at,
    doubt: null,
    falseAfter: null,
    certain: at,
    latest: at,
    ...changes,
  }
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const storeQueue = (times: IngestTimes, seconds: readonly number[]) =>
  ingest.storeQueue(DEFAULT_UPSTREAM, bytesOf(seconds.map(record)), times)
const usage = () => store.usageOf(DEFAULT_UPSTREAM)
const seenCount = async () => (await store.facts()).counters.seen

/** Pushes a tree of requests, of which the proxy says it counted `total`. */
const pushTree = (seconds: readonly number[], total = seconds.length) => {
  const totals = { total_requests: total, failure_count: 0, total_tokens: total * 10 }
  const apis = { client: { models: { model: { details: seconds.map(record) } } } }
  const bytes = bytesOf({ usage: { ...totals, apis } })
  ingest.pushTree(DEFAULT_UPSTREAM, bytes.slice(0, 7))
  ingest.pushTree(DEFAULT_UPSTREAM, bytes.slice(7))
}
const storeTree = (times: IngestTimes) => ingest.storeTree(DEFAULT_UPSTREAM, times)

describe('a pop of the queue', () => {
  it('is stored with when the proxy was read, and says what became of it', async () => {
    const ingested = await storeQueue(timesAt(0), [30, 20, 20])

    expect(ingested).toMatchObject({
      elementCount: 3,
      gap: null,
      totals: null,
      newestAt: plusMs(NOW, -20_000),
    })
    expect(ingested?.tally).toEqual({
      seen: 3,
      stored: 2,
      duplicate: 1,
      quarantined: 0,
      expired: 0,
    })
    expect(await usage().position()).toEqual({
      lastPollAt: NOW,
      treeRequests: null,
    })
  })

  it.each(['{"error":"no"}', 'null', '[1,', ''])(
    'that is no list leaves everything as it was: %j',
    async (text) => {
      const answer = new TextEncoder().encode(text)
      expect(await ingest.storeQueue(DEFAULT_UPSTREAM, answer, timesAt(0))).toBeNull()
      expect((await usage().position()).lastPollAt).toBeNull()
    },
  )

  it('under a doubted clock is stored, and says nothing about when the proxy was read', async () => {
    const doubt = { reason: 'proxy', aheadSeconds: 90_000 } as IngestTimes['doubt']

    expect((await storeQueue(timesAt(0, { doubt }), [30]))?.tally.stored).toBe(1)
    expect((await usage().position()).lastPollAt).toBeNull()
  })
})

describe('a legacy tree', () => {
  it('of several parts is stored whole, and what is newest of each account comes back once', async () => {
    const seconds = Array.from({ length: 5_001 }, (_, index) => 20 + index)
    pushTree(seconds)
    const ingested = await storeTree(timesAt(0))

    expect(ingested).toMatchObject({
      elementCount: 5_001,
      listedCount: 0,
      oldestAt: plusMs(NOW, -5_020_000),
      newestAt: plusMs(NOW, -20_000),
      gap: null,
      totals: { success: 5_001, failed: 0, tokens: 50_010 },
      tally: { seen: 5_001, stored: 5_001, duplicate: 0, quarantined: 0, expired: 0 },
    })
    expect(ingested?.activity).toEqual([
      {
        accountKey: 'other:unknown',
        lastSuccessAt: plusMs(NOW, -20_000),
        samples: [],
        refusal: null,
        authIndex: 'index',
      },
    ])
    expect(await usage().position()).toEqual({
      lastPollAt: NOW,
      treeRequests: 5_001,
    })
  })

  it('that has not changed is not read again, and the look at it is kept', async () => {
    pushTree([50])
    await storeTree(timesAt(0))
    pushTree([50])
    const again = await storeTree(timesAt(60))

    expect(await seenCount()).toBe(1)
    expect(again).toMatchObject({
      elementCount: 1,
      activity: [],
      oldestAt: null,
      newestAt: null,
      totals: { success: 1 },
    })
    expect(again?.tally.seen).toBe(0)
    expect((await usage().position()).lastPollAt).toBe(plusMs(NOW, 60_000))
  })

  it('that has not changed is read again in a store that was opened since', async () => {
    pushTree([50])
    await storeTree(timesAt(0))
    await store.close()
    store = await openHistory(join(folder, 'another.db'))
    pushTree([50])

    expect((await storeTree(timesAt(60)))?.tally.stored).toBe(1)
  })

  it('that counts less than the last one belongs to a proxy that has begun again: what lies between is a gap', async () => {
    pushTree([50], 9)
    await storeTree(timesAt(0))
    pushTree([-40], 1)

    expect((await storeTree(timesAt(60)))?.gap).toEqual({
      from: NOW,
      to: plusMs(NOW, 40_000),
      reason: 'proxy_restarted',
    })
    expect(await store.missedMs(plusMs(NOW, -3_600_000), plusMs(NOW, 60_000))).toBe(40_000)
  })

  it('of a restarted proxy that holds only what is older ends its gap where it begins', async () => {
    pushTree([50], 9)
    await storeTree(timesAt(0))
    pushTree([45], 1)

    expect((await storeTree(timesAt(60)))?.gap).toEqual({
      from: NOW,
      to: NOW,
      reason: 'proxy_restarted',
    })
  })

  it('that is none, or was dropped, is not stored', async () => {
    ingest.pushTree(DEFAULT_UPSTREAM, new TextEncoder().encode('nothing'))
    expect(await storeTree(timesAt(0))).toBeNull()

    pushTree([50], 1)
    ingest.dropTree(DEFAULT_UPSTREAM)
    expect(await storeTree(timesAt(0))).toBeNull()
    expect((await store.facts()).newestRecordAt).toBeNull()
  })
})

it('takes back what a wrong clock has left before it stores', async () => {
  await storeQueue(timesAt(86_400), [30])
  await usage().recordGap({
    from: plusMs(NOW, 80_000_000),
    to: plusMs(NOW, 86_400_000),
    reason: 'batch_lost',
  })
  await store.retain(
    { usageDays: 1, historyDays: 1 },
    { asOf: plusMs(NOW, 3 * 86_400_000), rowsMax: 100 },
  )
  expect((await storeQueue(timesAt(0), [20]))?.tally.expired).toBe(1)

  expect((await storeQueue(timesAt(0, { falseAfter: NOW }), [10]))?.tally.stored).toBe(1)
})
