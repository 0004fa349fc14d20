import { epochMs } from '@svc/core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { createBucketSums } from '../usage/bucket-sums.ts'
import { tiers } from '../usage/tiers.ts'
import { createFence } from './fence.ts'
import { pruneRollups, writeSums } from './rollups.ts'

const DAY_MS = 86_400_000
const DAY = epochMs(Date.UTC(2026, 10, 20))
const NOW = epochMs(DAY + 12 * 3_600_000)
const members = { account: 7, model: 8, api: 9, upstream: 1, provider: 1 }
const totalsOf = (seconds: number) =>
  fresh.rows(
    `SELECT bucket_s, requests, tokens, failed FROM svc_quota_monitor.rollup_${seconds} WHERE grouping = 0 ORDER BY bucket_s`,
  )

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

describe('sums by bucket', () => {
  it('have a row in every tier and grouping for one request', async () => {
    const sums = createBucketSums()
    sums.add({ at: epochMs(NOW - 1), tokens: 5, failed: true }, members)
    await writeSums(fresh.session, sums, NOW)

    for (const { seconds } of tiers) {
      const start = Math.floor((NOW - 1) / 1000 / seconds) * seconds
      expect(await totalsOf(seconds)).toEqual([[start, 1, 5, 1]])
    }
    expect(
      await fresh.rows(
        'SELECT DISTINCT grouping, member_id FROM svc_quota_monitor.rollup_60 ORDER BY grouping',
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
    await writeSums(fresh.session, sums, NOW)
    await writeSums(fresh.session, sums, NOW)
    sums.add({ at: NOW, tokens: 2, failed: true }, members)
    await writeSums(fresh.session, sums, NOW)

    expect(await totalsOf(86_400)).toEqual([[DAY / 1000, 2, 7, 1]])
  })

  it('of tokens stop at the largest exact number', async () => {
    const sums = createBucketSums()
    for (let count = 0; count < 3; count += 1) {
      sums.add({ at: NOW, tokens: Number.MAX_SAFE_INTEGER, failed: false }, members)
      sums.add({ at: NOW, tokens: 2, failed: false }, members)
      await writeSums(fresh.session, sums, NOW)
    }

    expect(await totalsOf(86_400)).toEqual([[DAY / 1000, 6, Number.MAX_SAFE_INTEGER, 0]])
  })

  it('of a request long ago are kept by the day alone', async () => {
    const sums = createBucketSums()
    sums.add({ at: epochMs(NOW - 400 * DAY_MS), tokens: 5, failed: false }, members)
    await writeSums(fresh.session, sums, NOW)

    for (const { seconds } of tiers)
      expect(await totalsOf(seconds)).toHaveLength(seconds === 86_400 ? 1 : 0)
  })

  it('are deleted a few at a time, until only those that are kept are left', async () => {
    const sums = createBucketSums()
    for (let minute = 0; minute < 10; minute += 1)
      sums.add({ at: epochMs(NOW - minute * 60_000), tokens: 1, failed: false }, members)
    await writeSums(fresh.session, sums, NOW)
    const later = epochMs(NOW + 400 * DAY_MS)
    expect(
      await pruneRollups(fresh.session, createFence(fresh.session, null), {
        now: later,
        rowsMax: 3,
      }),
    ).toBe(true)
    expect(await totalsOf(60)).toHaveLength(7)
    while (
      await pruneRollups(fresh.session, createFence(fresh.session, null), {
        now: later,
        rowsMax: 3,
      })
    );

    for (const { seconds } of tiers.slice(0, -1)) expect(await totalsOf(seconds)).toEqual([])
    expect(await totalsOf(86_400)).toEqual([[DAY / 1000, 10, 10, 0]])
  })
})
