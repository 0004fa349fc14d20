import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { UsageDetail } from '@svc/core/usage'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { aDetail, NOW, storeUsage } from '../testing/stored-usage.ts'
import { bucketUsage, memberUsage } from '../testing/usage-selection.ts'
import { createUsageQueries } from './usage-query.ts'

const DAY_MS = 86_400_000

let fresh: FreshDatabase
beforeEach(() => {
  fresh = freshDatabase()
})
afterEach(() => fresh.remove())

/** Some requests of the last thirty days, many of them close to now, and some of the next minute. */
const someUsage = (): readonly UsageDetail[] =>
  Array.from({ length: 400 }, (_, number) =>
    aDetail(number, {
      at: plusMs(NOW, 60_000 - Math.floor((number / 400) ** 4 * 30 * DAY_MS)),
      tokens: number,
      failed: number % 7 === 0,
    }),
  )

function sumBetween(usage: readonly UsageDetail[], from: number, to: number) {
  const inside = usage.filter(({ at }) => at >= from && at < to)
  return {
    requests: inside.length,
    tokens: inside.reduce((sum, { tokens }) => sum + tokens, 0),
    failed: inside.filter(({ failed }) => failed).length,
  }
}

function total(rows: readonly { requests: number; tokens: number; failed: number }[]) {
  return rows.reduce(
    (sum, row) => ({
      requests: sum.requests + row.requests,
      tokens: sum.tokens + row.tokens,
      failed: sum.failed + row.failed,
    }),
    { requests: 0, tokens: 0, failed: 0 },
  )
}

describe('the usage of all members', () => {
  it('up to now is what its rows add up to, however far it reaches back', async () => {
    const usage = someUsage()
    await storeUsage(fresh.db, usage)
    const queries = createUsageQueries(fresh.db)
    const spans = fc.oneof(
      fc.integer({ min: 0, max: 7_200_000 }),
      fc.integer({ min: 0, max: 32 * DAY_MS }),
    )
    const groupings = fc.constantFrom('total', 'account', 'model', 'api')
    await fc.assert(
      fc.asyncProperty(spans, fc.nat(120_000), groupings, async (spanMs, sinceMs, grouping) => {
        const to = plusMs(NOW, sinceMs)
        const from = plusMs(to, -spanMs)
        expect(total(await memberUsage(queries, grouping as 'total', from, to))).toEqual(
          sumBetween(usage, from, to),
        )
      }),
    )
  })

  it('leaves out what a proxy with a fast clock has dated later', async () => {
    const now = plusMs(NOW, 30_000)
    await storeUsage(fresh.db, [aDetail(-29), aDetail(-30), aDetail(-45)])
    const members = await memberUsage(
      createUsageQueries(fresh.db),
      'account',
      plusMs(now, -DAY_MS),
      now,
    )

    expect(members.map(({ requests }) => requests)).toEqual([1])
  })

  it('keeps the members apart', async () => {
    await storeUsage(fresh.db, [aDetail(1), aDetail(2), aDetail(4)])
    const members = await memberUsage(
      createUsageQueries(fresh.db),
      'account',
      plusMs(NOW, -DAY_MS),
      NOW,
    )

    expect(members.map(({ requests }) => requests).sort()).toEqual([1, 2])
  })
})

describe('the usage in buckets', () => {
  const bucketsOf = (
    memberIds: readonly number[],
    span: { readonly from: EpochMs; readonly to: EpochMs; readonly bucketSeconds: number },
  ) => bucketUsage(createUsageQueries(fresh.db), 'account', memberIds, span)

  it.each([
    { bucketSeconds: 60, buckets: 20 },
    { bucketSeconds: 900, buckets: 30 },
    { bucketSeconds: 7_200, buckets: 40 },
    { bucketSeconds: 86_400, buckets: 20 },
  ])(
    'of $bucketSeconds s is what the rows of each add up to',
    async ({ bucketSeconds, buckets }) => {
      const usage = someUsage()
      await storeUsage(fresh.db, usage)
      const bucketMs = bucketSeconds * 1000
      // The last bucket is under way.
      const to = plusMs(NOW, 20_500)
      const from = epochMs((Math.floor(to / bucketMs) - buckets + 1) * bucketMs)
      const found = await bucketsOf([1, 2, 3], { from, to, bucketSeconds })

      for (let index = 0; index < buckets; index += 1) {
        const start = from + index * bucketMs
        expect(total(found.filter((bucket) => bucket.index === index)), `bucket ${index}`).toEqual(
          sumBetween(usage, start, Math.min(to, start + bucketMs)),
        )
      }
    },
  )

  it('is that of the members asked for', async () => {
    await storeUsage(fresh.db, [aDetail(61), aDetail(62), aDetail(64)])
    const span = { from: plusMs(NOW, -120_000), to: NOW, bucketSeconds: 60 }

    expect(await bucketsOf([], span)).toEqual([])
    expect(
      total(await bucketsOf([1], span)).requests + total(await bucketsOf([2, 3], span)).requests,
    ).toBe(3)
    expect(new Set((await bucketsOf([1], span)).map(({ memberId }) => memberId))).toEqual(
      new Set([1]),
    )
  })
})
