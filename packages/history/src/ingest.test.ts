import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import type { DecodedUsage, UsageDetail } from '@svc/core/usage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HistoryStore } from './contract/history-store.ts'
import { createIngest, type Ingest, type IngestTimes, type UsageDecoder } from './ingest.ts'
import { openHistory } from './open-history.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))

let folder: string
let store: HistoryStore
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-ingest-'))
  store = await openHistory(join(folder, 'history.db'))
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Seconds before `NOW` of each request, as the answers of this test list them. */
type Wire = readonly number[]

interface WireTree {
  readonly total: number
  readonly parts: readonly Wire[]
}

const detailOf = (seconds: number): UsageDetail => ({
  at: plusMs(NOW, -seconds * 1000),
  key: BigInt(seconds),
  accountKey: 'account',
  apiName: 'client',
  model: 'model',
  tokens: 10,
  failed: false,
})

function decodedOf(wire: Wire, { receivedAt }: IngestTimes): DecodedUsage {
  const details = wire.map(detailOf)
  const newestAt = details.reduce<EpochMs | null>(
    (newest, { at }) => (newest === null || at > newest ? at : newest),
    null,
  )
  return {
    batch: { receivedAt, details, quarantined: [], saturatedCount: 0 },
    elementCount: wire.length,
    listedCount: wire.length,
    activity:
      newestAt === null
        ? []
        : [
            {
              accountKey: 'account',
              lastSuccessAt: newestAt,
              samples: [],
              refusal: null,
              authIndex: '',
            },
          ],
    newestAt,
  }
}

/** Counts how often a tree is read. */
function ingestOf() {
  const seen = { trees: 0 }
  const decoder: UsageDecoder = {
    queue: (wire, times) => (Array.isArray(wire) ? decodedOf(wire as Wire, times) : null),
    tree(chunks, times) {
      seen.trees += 1
      const text = Buffer.concat([...chunks]).toString()
      if (!text.startsWith('{')) return null
      const { total, parts } = JSON.parse(text) as WireTree
      return {
        totalRequests: total,
        totals: { success: total, failed: 0, tokens: total * 10 },
        parts: parts.map((wire) => decodedOf(wire, times)),
      }
    },
  }
  return { ingest: createIngest(store, DEFAULT_UPSTREAM, decoder), seen }
}

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

const pushTree = (ingest: Ingest, tree: WireTree) => {
  const bytes = bytesOf(tree)
  ingest.pushTree(bytes.slice(0, 7))
  ingest.pushTree(bytes.slice(7))
}

describe('a pop of the queue', () => {
  it('is stored with when the proxy was read, and says what became of it', async () => {
    const { ingest } = ingestOf()
    const ingested = await ingest.queue([bytesOf([30, 20, 20])], timesAt(0))

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
    expect(await store.usageOf(DEFAULT_UPSTREAM).position()).toEqual({
      lastPollAt: NOW,
      treeRequests: null,
    })
  })

  it.each(['{"error":"no"}', 'null', '[1,', ''])(
    'that is no list leaves everything as it was: %j',
    async (text) => {
      const { ingest } = ingestOf()

      expect(await ingest.queue([new TextEncoder().encode(text)], timesAt(0))).toBeNull()
      expect((await store.usageOf(DEFAULT_UPSTREAM).position()).lastPollAt).toBeNull()
    },
  )

  it('shares a transaction with others, and is not stored where one of them is no list', async () => {
    const { ingest } = ingestOf()
    const answers = [bytesOf([30, 20]), bytesOf([20, 10])]

    expect(await ingest.queue([...answers, bytesOf({})], timesAt(0))).toBeNull()
    expect((await store.facts()).counters.seen).toBe(0)
    expect((await ingest.queue(answers, timesAt(0)))?.tally).toMatchObject({
      seen: 4,
      stored: 3,
      duplicate: 1,
    })
  })

  it('under a doubted clock is stored, and says nothing about when the proxy was read', async () => {
    const { ingest } = ingestOf()
    const doubt = { reason: 'proxy', aheadSeconds: 90_000 } as IngestTimes['doubt']

    expect((await ingest.queue([bytesOf([30])], timesAt(0, { doubt })))?.tally.stored).toBe(1)
    expect((await store.usageOf(DEFAULT_UPSTREAM).position()).lastPollAt).toBeNull()
  })
})

describe('a legacy tree', () => {
  it('is stored part by part, and what is newest of each account comes back once', async () => {
    const { ingest } = ingestOf()
    pushTree(ingest, {
      total: 4,
      parts: [
        [50, 40],
        [30, 20],
      ],
    })
    const ingested = await ingest.tree(timesAt(0))

    expect(ingested?.tally.stored).toBe(4)
    expect(ingested).toMatchObject({
      elementCount: 4,
      gap: null,
      totals: { success: 4, failed: 0, tokens: 40 },
    })
    expect(ingested?.activity).toEqual([
      {
        accountKey: 'account',
        lastSuccessAt: plusMs(NOW, -20_000),
        samples: [],
        refusal: null,
        authIndex: '',
      },
    ])
    expect(await store.usageOf(DEFAULT_UPSTREAM).position()).toEqual({
      lastPollAt: NOW,
      treeRequests: 4,
    })
  })

  it('that has not changed is not read again, and the look at it is kept', async () => {
    const { ingest, seen } = ingestOf()
    const tree = { total: 1, parts: [[50]] }
    pushTree(ingest, tree)
    await ingest.tree(timesAt(0))
    pushTree(ingest, tree)
    const again = await ingest.tree(timesAt(60))

    expect(seen.trees).toBe(1)
    expect(again).toMatchObject({
      elementCount: 1,
      activity: [],
      newestAt: null,
      totals: { success: 1 },
    })
    expect(again?.tally.seen).toBe(0)
    expect((await store.usageOf(DEFAULT_UPSTREAM).position()).lastPollAt).toBe(plusMs(NOW, 60_000))
  })

  it('that counts less than the last one belongs to a proxy that has begun again: what lies between is a gap', async () => {
    const { ingest } = ingestOf()
    pushTree(ingest, { total: 9, parts: [[50]] })
    await ingest.tree(timesAt(0))
    pushTree(ingest, { total: 1, parts: [[-40]] })

    expect((await ingest.tree(timesAt(60)))?.gap).toEqual({
      from: NOW,
      to: plusMs(NOW, 40_000),
      reason: 'proxy_restarted',
    })
    expect(await store.missedMs(plusMs(NOW, -3_600_000), plusMs(NOW, 60_000))).toBe(40_000)
  })

  it('of a restarted proxy that holds only what is older ends its gap where it begins', async () => {
    const { ingest } = ingestOf()
    pushTree(ingest, { total: 9, parts: [[50]] })
    await ingest.tree(timesAt(0))
    pushTree(ingest, { total: 1, parts: [[45]] })

    expect((await ingest.tree(timesAt(60)))?.gap).toEqual({
      from: NOW,
      to: NOW,
      reason: 'proxy_restarted',
    })
  })

  it('that is none, or was dropped, is not stored', async () => {
    const { ingest } = ingestOf()
    ingest.pushTree(new TextEncoder().encode('nothing'))
    expect(await ingest.tree(timesAt(0))).toBeNull()

    pushTree(ingest, { total: 1, parts: [[50]] })
    ingest.dropTree()
    expect(await ingest.tree(timesAt(0))).toBeNull()
    expect((await store.facts()).newestRecordAt).toBeNull()
  })
})

it('takes back what a wrong clock has left before it stores', async () => {
  const { ingest } = ingestOf()
  await ingest.queue([bytesOf([30])], timesAt(86_400))
  await store.usageOf(DEFAULT_UPSTREAM).recordGap({
    from: plusMs(NOW, 80_000_000),
    to: plusMs(NOW, 86_400_000),
    reason: 'batch_lost',
  })
  await store.retain(
    { usageDays: 1, historyDays: 1 },
    { asOf: plusMs(NOW, 3 * 86_400_000), rowsMax: 100 },
  )
  expect((await ingest.queue([bytesOf([20])], timesAt(0)))?.tally.expired).toBe(1)

  expect((await ingest.queue([bytesOf([10])], timesAt(0, { falseAfter: NOW })))?.tally.stored).toBe(
    1,
  )
})
