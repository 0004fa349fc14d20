import { plusMs } from '@svc/core'
import type { UsageStore } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from './open-history.ts'
import type { HistoryStore } from './sql/history-store.ts'
import { type EmptyStore, emptyStores } from './testing/empty-stores.ts'
import { aBatch, aDetail, NOW, someDetails } from './testing/stored-usage.ts'

const DAY_MS = 86_400_000

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('in $engine', ({ engine, whyNot, create }) => {
  let store: EmptyStore
  let history: HistoryStore
  let usage: UsageStore
  const open = async () => {
    history = await openHistory(store.location)
    usage = history.usageOf('default')
  }
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
    await open()
  })
  afterEach(() => history?.close())

  const countOf = async (table: 'gaps' | 'quarantine' | 'usage') =>
    Number((await store.rows(sql`SELECT count(*) FROM ${store.tables[table]}`))[0]?.[0])

  const countDays = async () => {
    const { sums, ofTier } = store.tables.sumsOfTier(86_400)
    return Number((await store.rows(sql`SELECT count(*) FROM ${sums} WHERE ${ofTier}`))[0]?.[0])
  }

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
      expect((await history.facts()).counters).toMatchObject({ seen: 13, stored: 7, duplicate: 6 })
      expect(await countOf('usage')).toBe(7)
    })

    it('is all there or not at all', async () => {
      const broken = { ...aDetail(3), model: 'lost', tokens: {} as number }
      await expect(usage.record(aBatch([aDetail(1), aDetail(2), broken]))).rejects.toThrow()
      expect((await history.facts()).counters.seen).toBe(0)

      // What the failed one taught the dictionaries and sums is forgotten as well.
      await usage.record(aBatch([{ ...aDetail(1), model: 'lost' }]))
      expect([await countOf('usage'), await countDays()]).toEqual([1, 9])
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
      expect(await store.rows(sql`SELECT name FROM ${store.tables.models} ORDER BY id`)).toEqual([
        ['model'],
      ])
    })

    it('older than the history reaches back is counted and leaves no trace', async () => {
      while (
        await history.retain({ usageDays: 90, historyDays: 90 }, { asOf: NOW, rowsMax: 2_000 })
      ) {}
      const old = aDetail(1, { at: plusMs(NOW, -91 * DAY_MS) })

      expect(await usage.record(aBatch([old]))).toMatchObject({ stored: 0, expired: 1 })
      expect([await countOf('usage'), await countDays()]).toEqual([0, 0])
    })

    it('keeps a few bad records, never their values', async () => {
      const quarantined = Array.from(
        { length: 500 },
        () => ({ reason: 'bad_shape', shape: '{a:string}' }) as const,
      )
      await usage.record(aBatch([], { quarantined }))
      await usage.record(aBatch([], { quarantined: quarantined.slice(0, 3) }))

      expect(await countOf('quarantine')).toBe(200)
    })

    it('moves the position of its proxy, and tells when the store was written', async () => {
      await usage.record(aBatch([]), { lastPollAt: NOW, treeRequests: 7 })
      await history
        .usageOf('tokyo')
        .record(aBatch([]), { lastPollAt: plusMs(NOW, 5), treeRequests: null })
      await usage.record(aBatch([aDetail(1)]))

      expect(await usage.position()).toEqual({ lastPollAt: NOW, treeRequests: 7 })
      expect(await history.upstreams()).toEqual(['default', 'tokyo'])
      expect(
        await store.rows(
          sql`SELECT name, value FROM ${store.tables.meta} WHERE name IN ('first_poll_ms', 'last_write_ms') ORDER BY name`,
        ),
      ).toEqual([
        ['first_poll_ms', String(NOW)],
        ['last_write_ms', String(NOW)],
      ])
    })
  })

  it('accounts have the names they were last called by', async () => {
    await usage.nameAccounts(new Map(Object.entries({ a: 'Ann', b: 'B\0b' })))
    await usage.nameAccounts(new Map(Object.entries({ a: 'Anna', c: '' })))
    await usage.nameAccounts(new Map())

    expect(
      await store.rows(sql`SELECT key, title FROM ${store.tables.accounts} ORDER BY key`),
    ).toEqual([
      ['a', 'Anna'],
      ['b', engine === 'postgres' ? 'B\uFFFDb' : 'B\0b'],
      ['c', ''],
    ])
  })

  describe('gaps', () => {
    it('are what a pop leaves that the process died in', async () => {
      await usage.record(aBatch([]), { lastPollAt: plusMs(NOW, -60_000), treeRequests: null })
      await usage.markPop(NOW)
      await history.close()
      await open()

      expect(await usage.endInterruptedPop()).toEqual({
        from: NOW - 60_000,
        to: NOW,
        reason: 'stopped_before_commit',
      })
      expect(await usage.endInterruptedPop()).toBeNull()
      expect(await history.missedMs(plusMs(NOW, -DAY_MS), plusMs(NOW, 5))).toBe(60_000)
    })

    it('stay after pops of the next processes, though they have the same mark', async () => {
      await usage.record(aBatch([]), { lastPollAt: plusMs(NOW, -60_000), treeRequests: null })
      await usage.markPop(NOW)
      for (const record of [1, 2]) {
        await history.close()
        await open()
        await usage.endInterruptedPop()
        await usage.markPop(NOW)
        await usage.record(aBatch([aDetail(record)]), { lastPollAt: NOW, treeRequests: null }, NOW)

        expect(await countOf('gaps')).toBe(1)
      }
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

      expect((await history.facts()).counters.missing).toBe(5)
      expect(await countOf('gaps')).toBe(1)
    })

    it('count once where they overlap, and only as far as one looks back', async () => {
      for (const [from, to] of [
        [-100, -50],
        [-70, -40],
        [-20, -10],
        [-400_000, -300_000],
      ] as const)
        await usage.recordGap({
          from: plusMs(NOW, from * 1000),
          to: plusMs(NOW, to * 1000),
          reason: 'batch_lost',
        })

      expect(await history.missedMs(plusMs(NOW, -DAY_MS), NOW)).toBe(70_000)
      expect(await history.missedMs(plusMs(NOW, -45_000), NOW)).toBe(15_000)
    })
  })
})
