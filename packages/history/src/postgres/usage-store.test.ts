import { plusMs } from '@svc/core'
import type { UsageStore } from '@svc/core/usage'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { HistoryStore } from '../contract/history-store.ts'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { aBatch, aDetail, NOW, someDetails } from '../testing/stored-usage.ts'
import { createFence } from './fence.ts'
import { createPartitions } from './partitions.ts'
import { openPostgresStore } from './postgres-store.ts'

const DAY_MS = 86_400_000
const PLAN = { usageDays: 1, historyDays: 1 }

const schemas = freshSchemas()
let fresh: FreshSchema
let store: HistoryStore
let usage: UsageStore
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  store = await openPostgresStore(fresh.address)
  usage = store.usageOf('default')
  return () => store.close()
})
afterAll(() => schemas.remove())

const countOf = async (table: string) =>
  (await fresh.rows(`SELECT count(*) FROM svc_quota_monitor.${table}`))[0]?.[0]
const titles = () => fresh.rows('SELECT key, title FROM svc_quota_monitor.accounts ORDER BY key')

describe('a batch', () => {
  it('is stored once however often it comes, within itself too', async () => {
    expect(await usage.record(aBatch([...someDetails(5), aDetail(2)]))).toEqual({
      seen: 6,
      stored: 5,
      duplicate: 1,
      quarantined: 0,
      expired: 0,
    })
    expect(await usage.record(aBatch(someDetails(7)))).toMatchObject({ stored: 2, duplicate: 5 })
    expect((await store.facts()).counters).toMatchObject({ seen: 13, stored: 7, duplicate: 6 })
    expect(await countOf('usage')).toBe(7)
  })

  it('is all there or not at all', async () => {
    const broken = { ...aDetail(3), tokens: {} as number }
    await expect(usage.record(aBatch([aDetail(1), aDetail(2), broken]))).rejects.toThrow()
    expect((await store.facts()).counters.seen).toBe(0)

    await usage.record(aBatch([aDetail(1)]))
    expect([await countOf('usage'), await countOf('rollup_86400')]).toEqual([1, 6])
  })

  it('with a NUL in its names loses that record alone, which is counted', async () => {
    const names = { accountKey: 'a\0', apiName: 'b\0', model: '\0', provider: 'p\0' }
    const quarantined = [{ reason: 'bad_shape', shape: '{"\0":null}' } as const]

    expect(await usage.record(aBatch([aDetail(1, names), aDetail(2)], { quarantined }))).toEqual({
      seen: 3,
      stored: 1,
      duplicate: 0,
      quarantined: 2,
      expired: 0,
    })
    expect(await fresh.rows('SELECT name FROM svc_quota_monitor.models ORDER BY id')).toEqual([
      ['model'],
    ])
  })

  it('of a day that another monitor has forgotten and that counts again is stored when it is sent again', async () => {
    await usage.record(aBatch([aDetail(1)]))
    await createPartitions(fresh.session).dropOldest(
      plusMs(NOW, 2 * DAY_MS),
      createFence(fresh.session, null),
    )

    await expect(usage.record(aBatch([aDetail(2)]))).rejects.toThrow()
    expect(await usage.record(aBatch([aDetail(2)]))).toMatchObject({ stored: 1 })
  })

  it('moves the position of its proxy, and tells when the store was written', async () => {
    await usage.record(aBatch([]), { lastPollAt: NOW, treeRequests: 7 })
    await store
      .usageOf('tokyo')
      .record(aBatch([]), { lastPollAt: plusMs(NOW, 5), treeRequests: null })
    await usage.record(aBatch([aDetail(1)]))

    expect(await usage.position()).toEqual({ lastPollAt: NOW, treeRequests: 7 })
    expect(await store.upstreams()).toEqual(['default', 'tokyo'])
    expect(
      await fresh.rows(
        "SELECT name, value FROM svc_quota_monitor.meta WHERE name IN ('first_poll_ms', 'last_write_ms') ORDER BY name",
      ),
    ).toEqual([
      ['first_poll_ms', String(NOW)],
      ['last_write_ms', String(NOW)],
    ])
  })
})

describe('forgetting and storing at once, from two monitors', () => {
  it('never counts a request a second time', async () => {
    const old = aDetail(1, { at: plusMs(NOW, -3 * DAY_MS) })
    await usage.record(aBatch([old]))
    const other = await openPostgresStore(fresh.address)
    try {
      const [recorded] = await Promise.all([
        usage.record(aBatch([old, aDetail(2)])),
        (async () => {
          while (await other.retain(PLAN, { asOf: NOW, rowsMax: 10 })) {}
        })(),
      ])
      expect(recorded.stored).toBe(1)
    } finally {
      await other.close()
    }
    expect(await usage.record(aBatch([old]))).toMatchObject({ expired: 1 })
    expect(
      await fresh.rows(
        'SELECT sum(requests)::int FROM svc_quota_monitor.rollup_86400 WHERE grouping = 0',
      ),
    ).toEqual([[2]])
  })
})

describe('accounts', () => {
  it('have the names they were last called by', async () => {
    await usage.nameAccounts(
      new Map([
        ['a', 'Ann'],
        ['b', 'B\0b'],
      ]),
    )
    await usage.nameAccounts(
      new Map([
        ['a', 'Anna'],
        ['c', ''],
      ]),
    )
    await usage.nameAccounts(new Map())

    expect(await titles()).toEqual([
      ['a', 'Anna'],
      ['b', 'B\uFFFDb'],
      ['c', ''],
    ])
  })
})

describe('gaps', () => {
  it('are what a pop leaves that the process died in', async () => {
    await usage.record(aBatch([]), { lastPollAt: plusMs(NOW, -60_000), treeRequests: null })
    await usage.markPop(NOW)
    await store.close()
    store = await openPostgresStore(fresh.address)
    usage = store.usageOf('default')

    expect(await usage.endInterruptedPop()).toEqual({
      from: NOW - 60_000,
      to: NOW,
      reason: 'stopped_before_commit',
    })
    expect(await usage.endInterruptedPop()).toBeNull()
    expect(await store.missedMs(plusMs(NOW, -DAY_MS), plusMs(NOW, 5))).toBe(60_000)
  })

  it('are taken back once what was popped is stored after all', async () => {
    await usage.record(aBatch([]), { lastPollAt: plusMs(NOW, -60_000), treeRequests: null })
    await usage.markPop(NOW)
    await usage.endInterruptedPop()
    await usage.record(aBatch([aDetail(1)]), undefined, plusMs(NOW, -5_000))
    expect(await countOf('gaps'), 'of another pop').toBe(1)
    await usage.record(aBatch([aDetail(2)]), undefined, NOW)

    expect(await countOf('gaps')).toBe(0)
  })

  it.each([
    ['nothing', 'clearPop'],
    ['a batch', 'record'],
  ] as const)('are none after a pop that brought %s', async (_, method) => {
    await usage.markPop(NOW)
    if (method === 'clearPop') await usage.clearPop()
    else await usage.record(aBatch([aDetail(1)]))

    expect(await usage.endInterruptedPop()).toBeNull()
  })

  it('are kept once, also where requests are missing', async () => {
    const gap = { from: NOW, to: plusMs(NOW, 50), reason: 'not_handed_to_us' } as const
    await usage.recordMissing(3, gap)
    await usage.recordMissing(2, gap)
    await usage.recordGap(gap)

    expect((await store.facts()).counters.missing).toBe(5)
    expect(await countOf('gaps')).toBe(1)
  })
})
