import { plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openUsage } from '../open-history.ts'
import { ownStores } from '../testing/own-stores.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'

const DAY_MS = 86_400_000
const stores = ownStores()
const { withStore, stored } = stores
let path: string
beforeEach(() => {
  path = stores.nextPath()
})
afterAll(stores.remove)

describe('a batch', () => {
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
      { numRuns: process.env.TEST_SIZE === 'full' ? 30 : 10 },
    )
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
