import { epochMs } from '@svc/core'
import { tiers } from '@svc/core/usage'
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { type BucketSums, createBucketSums } from '../usage/bucket-sums.ts'
import { isKept } from '../usage/tiers.ts'
import { always } from './connection.ts'
import { pruneSums } from './retention.ts'
import { bucketsOf } from './usage-rows.ts'

const DAY_MS = 86_400_000
const DAY = epochMs(Date.UTC(2026, 10, 20))
const NOW = epochMs(DAY + 12 * 3_600_000)
const members = {
  ...{ account: 7, model: 8, api: 9, upstream: 1, provider: 1 },
  ...{ account_rate: 3, client_rate: 4, total_rate: 5 },
}

const stores = emptyStores()
let store: EmptyStore
afterAll(stores.remove)

const write = (sums: BucketSums, onConflict: 'add' | 'larger' = 'add') =>
  store.engine.rows.put(bucketsOf(sums, NOW), onConflict)
const totalsOf = (seconds: number) => {
  const { sums, ofTier } = store.tables.sumsOfTier(seconds)
  return store.rows(
    sql`SELECT bucket_s, requests, tokens, failed FROM ${sums} WHERE ${ofTier} AND grouping = 0 ORDER BY bucket_s`,
  )
}

it.each(tiers.filter(({ keptSeconds }) => Number.isFinite(keptSeconds)))(
  'sums of $seconds s are kept until $keptSeconds s after their end',
  (tier) => {
    const endsAt = NOW / 1000 - tier.keptSeconds

    expect(isKept(endsAt - tier.seconds, tier, NOW)).toBe(false)
    expect(isKept(endsAt - tier.seconds + 1, tier, NOW)).toBe(true)
  },
)

describe.each(stores.engines)('sums by bucket in $engine', ({ whyNot, create }) => {
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
  })

  it('have a row in every tier and grouping for one request', async () => {
    const sums = createBucketSums()
    sums.add({ at: epochMs(NOW - 1), tokens: 5, failed: true }, members)
    await write(sums)

    for (const { seconds } of tiers) {
      const start = Math.floor((NOW - 1) / 1000 / seconds) * seconds
      expect(await totalsOf(seconds)).toEqual([[start, 1, 5, 1]])
    }
    const { sums: sums60, ofTier } = store.tables.sumsOfTier(60)
    expect(
      await store.rows(
        sql`SELECT DISTINCT grouping, member_id FROM ${sums60} WHERE ${ofTier} ORDER BY grouping`,
      ),
    ).toEqual([
      [0, 0],
      [1, 7],
      [2, 8],
      [3, 9],
      [4, 1],
      [5, 1],
    ])
  })

  it('grow by what is written later, and nothing is written twice', async () => {
    const sums = createBucketSums()
    sums.add({ at: NOW, tokens: 5, failed: false }, members)
    await write(sums)
    await write(sums)
    sums.add({ at: NOW, tokens: 2, failed: true }, members)
    await write(sums)

    expect(await totalsOf(86_400)).toEqual([[DAY / 1000, 2, 7, 1]])
  })

  it('become the larger of both, measure by measure, where rows are counted again', async () => {
    const sums = createBucketSums()
    sums.add({ at: NOW, tokens: 9, failed: false }, members)
    await write(sums)
    for (const tokens of [1, 2]) sums.add({ at: NOW, tokens, failed: true }, members)
    await write(sums, 'larger')

    expect(await totalsOf(86_400)).toEqual([[DAY / 1000, 2, 9, 2]])
  })

  it('of tokens stop at the largest exact number', async () => {
    const sums = createBucketSums()
    for (let count = 0; count < 3; count += 1) {
      sums.add({ at: NOW, tokens: Number.MAX_SAFE_INTEGER, failed: false }, members)
      sums.add({ at: NOW, tokens: 2, failed: false }, members)
      await write(sums)
    }

    expect(await totalsOf(86_400)).toEqual([[DAY / 1000, 6, Number.MAX_SAFE_INTEGER, 0]])
  })

  it('of a request long ago are kept by the day alone', async () => {
    const sums = createBucketSums()
    sums.add({ at: epochMs(NOW - 400 * DAY_MS), tokens: 5, failed: false }, members)
    await write(sums)

    for (const { seconds } of tiers)
      expect(await totalsOf(seconds)).toHaveLength(seconds === 86_400 ? 1 : 0)
  })

  it('are deleted a few at a time, until only those that are kept are left', async () => {
    const sums = createBucketSums()
    for (let minute = 0; minute < 10; minute += 1)
      sums.add({ at: epochMs(NOW - minute * 60_000), tokens: 1, failed: false }, members)
    await write(sums)
    const later = epochMs(NOW + 400 * DAY_MS)
    expect(await pruneSums(store.db, always, { asOf: later, rowsMax: 3 })).toBe(true)
    expect(await totalsOf(60)).toHaveLength(7)
    while (await pruneSums(store.db, always, { asOf: later, rowsMax: 3 }));

    for (const { seconds } of tiers.slice(0, -1)) expect(await totalsOf(seconds)).toEqual([])
    expect(await totalsOf(86_400)).toEqual([[DAY / 1000, 10, 10, 0]])
  })
})
