import { type EpochMs, plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openUsage } from '../open-history.ts'
import { ownStores } from '../testing/own-stores.ts'
import { aBatch, aDetail, NOW, someDetails } from '../testing/stored-usage.ts'
import { tiers } from '../usage/tiers.ts'
import { openForReading } from './open-database.ts'

const DAY_MS = 86_400_000
const stores = ownStores()
const { withStore, stored } = stores
let path: string
beforeEach(() => {
  path = stores.nextPath()
})
afterAll(stores.remove)

describe('a batch', () => {
  it('is stored once however often it comes, within itself too', async () => {
    await withStore(async ({ usage, facts }) => {
      expect(await usage.record(aBatch([...someDetails(5), aDetail(2)]))).toEqual({
        seen: 6,
        stored: 5,
        duplicate: 1,
        quarantined: 0,
        expired: 0,
      })
      expect(await usage.record(aBatch(someDetails(7)))).toEqual({
        seen: 7,
        stored: 2,
        duplicate: 5,
        quarantined: 0,
        expired: 0,
      })
      expect((await facts()).counters).toMatchObject({ seen: 13, stored: 7, duplicate: 6 })
    })
    expect(stored()).toBe(7)
  })

  it('adds up: seen = stored + duplicate + quarantined + expired', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 30 }), {
          maxLength: 6,
        }),
        fc.nat(5),
        async (batches, bad) => {
          const at = stores.nextPath()
          await withStore(async (store) => {
            while (
              await store.retain({ usageDays: 2, historyDays: 2 }, { asOf: NOW, rowsMax: 2_000 })
            ) {}
            const quarantined = Array.from(
              { length: bad },
              () => ({ reason: 'bad_tokens', shape: '{}' }) as const,
            )
            for (const numbers of batches) {
              const tally = await store.usageOf(DEFAULT_UPSTREAM).record(
                aBatch(
                  numbers.map((number) => aDetail(number)),
                  { quarantined },
                ),
              )
              expect(tally.stored + tally.duplicate + tally.quarantined + tally.expired).toBe(
                tally.seen,
              )
            }
            const { seen, ...parts } = (await store.facts()).counters
            expect(parts.stored + parts.duplicate + parts.quarantined + parts.expired).toBe(seen)
          }, at)
          const distinct = new Set(
            batches
              .flat()
              .filter((number) => NOW - number * 1000 >= Math.floor(NOW / DAY_MS - 2) * DAY_MS),
          )
          expect(stored(at)).toBe(distinct.size)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('is all there or not at all', async () => {
    await withStore(async ({ usage, facts }) => {
      const broken = { ...aDetail(3), model: Symbol('no text') as unknown as string }
      await expect(usage.record(aBatch([aDetail(1), aDetail(2), broken]))).rejects.toThrow()
      expect((await facts()).counters.seen).toBe(0)
      // What the failed one taught the dictionaries and sums is forgotten as well.
      await usage.record(aBatch([aDetail(1)]))
    })
    expect(stored()).toBe(1)
    expect(rollupsDiffer(path, NOW)).toEqual([])
  })

  it('older than the history reaches back is counted and leaves no trace', async () => {
    await withStore(async (store) => {
      while (
        await store.retain({ usageDays: 90, historyDays: 90 }, { asOf: NOW, rowsMax: 2_000 })
      ) {}
      const old = aDetail(1, { at: plusMs(NOW, -91 * DAY_MS) })
      expect(await store.usageOf(DEFAULT_UPSTREAM).record(aBatch([old]))).toMatchObject({
        stored: 0,
        expired: 1,
      })
    })
    expect(stored()).toBe(0)
    expect(rollupsDiffer(path, NOW)).toEqual([])
  })

  it('keeps a few bad records, never their values', async () => {
    await withStore(async ({ usage }) => {
      const quarantined = Array.from(
        { length: 500 },
        () => ({ reason: 'bad_shape', shape: '{a:string}' }) as const,
      )
      await usage.record(aBatch([], { quarantined }))
      await usage.record(aBatch([], { quarantined: quarantined.slice(0, 3) }))
    })
    const db = openForReading(path)
    expect(db.prepare('SELECT count(*) FROM quarantine').pluck().get()).toBe(200)
    db.close()
  })

  it('with more tokens than numbers hold does not break the sums', async () => {
    await withStore(async ({ usage }) => {
      const most = Array.from({ length: 2_000 }, (_, number) =>
        aDetail(number, { tokens: Number.MAX_SAFE_INTEGER }),
      )
      await usage.record(aBatch(most.slice(0, 1_000)))
      await usage.record(aBatch(most.slice(1_000)))
    })
    const usage = await openUsage({ location: path, retentionDays: 90 })
    for (const range of ['1h', '24h', 'all'] as const) {
      expect(
        (await usage.series({ range, group: 'total', metric: 'tokens', top: 1 }, plusMs(NOW, 1)))
          .totals.tokens,
      ).toBe(Number.MAX_SAFE_INTEGER)
    }
    await usage.close()
  })
})

describe('gaps', () => {
  it('are what a pop leaves that the process died in', async () => {
    await withStore(async ({ usage }) => {
      await usage.record(aBatch([]), { lastPollAt: plusMs(NOW, -60_000), treeRequests: null })
      await usage.markPop(NOW)
    })
    await withStore(async ({ usage, missedMs }) => {
      expect(await usage.endInterruptedPop()).toEqual({
        from: NOW - 60_000,
        to: NOW,
        reason: 'stopped_before_commit',
      })
      expect(await usage.endInterruptedPop()).toBeNull()
      expect(await missedMs(plusMs(NOW, -DAY_MS), plusMs(NOW, 5))).toBe(60_000)
    })
  })

  it.each([
    ['nothing', 'clearPop'],
    ['a batch', 'record'],
  ] as const)('are none after a pop that brought %s', async (_, method) => {
    await withStore(async ({ usage }) => {
      await usage.markPop(NOW)
      if (method === 'clearPop') await usage.clearPop()
      else await usage.record(aBatch([aDetail(1)]))
      expect(await usage.endInterruptedPop()).toBeNull()
    })
  })

  it('count once where they overlap, and only as far as one looks back', async () => {
    await withStore(async ({ usage, missedMs }) => {
      for (const [from, to] of [
        [-100, -50],
        [-70, -40],
        [-20, -10],
        [-400_000, -300_000],
      ] as const) {
        await usage.recordGap({
          from: plusMs(NOW, from * 1000),
          to: plusMs(NOW, to * 1000),
          reason: 'batch_lost',
        })
      }
      expect(await missedMs(plusMs(NOW, -DAY_MS), NOW)).toBe(70_000)
      expect(await missedMs(plusMs(NOW, -45_000), NOW)).toBe(15_000)
    })
  })
})

/** Rollup rows that differ from what the rows add up to, of the tiers that still hold them. */
function rollupsDiffer(at: string, now: EpochMs): readonly unknown[] {
  const db = openForReading(at)
  try {
    return tiers.flatMap(({ seconds, keptSeconds }) => {
      const since = Number.isFinite(keptSeconds) ? now / 1000 - keptSeconds : 0
      return db
        .prepare(
          `SELECT * FROM (
             SELECT member_id, bucket_s, requests, tokens, failed FROM rollups WHERE grouping = 1 AND tier_seconds = ${seconds} AND bucket_s >= ${since}
             EXCEPT SELECT account_id, at_ms / ${seconds * 1000} * ${seconds} b, count(*), sum(tokens), sum(failed) FROM usage GROUP BY account_id, b)`,
        )
        .all()
    })
  } finally {
    db.close()
  }
}
