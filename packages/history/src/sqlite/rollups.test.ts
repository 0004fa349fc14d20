import { epochMs } from '@svc/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { isKept, tiers } from '../usage/tiers.ts'
import { createRollupSums, pruneRollups } from './rollups.ts'

const DAY_MS = 86_400_000
const DAY = epochMs(Date.UTC(2026, 10, 20))
const NOW = epochMs(DAY + 12 * 3_600_000)
const members = { account: 7, model: 8, api: 9, upstream: 1, provider: 1 }
const TOTALS =
  'SELECT tier_seconds, bucket_s, requests, tokens, failed FROM rollups WHERE grouping = 0 ORDER BY tier_seconds, bucket_s'

describe('sums by bucket', () => {
  let fresh: FreshDatabase

  beforeEach(() => {
    fresh = freshDatabase()
  })
  afterEach(() => fresh.remove())

  it('have a row in every tier and grouping for one request', () => {
    const sums = createRollupSums(fresh.db)
    sums.add({ at: epochMs(NOW - 1), tokens: 5, failed: true }, members)
    sums.write(NOW)

    const start = (seconds: number) => Math.floor((NOW - 1) / 1000 / seconds) * seconds
    expect(fresh.rows(TOTALS)).toEqual(
      tiers.map(({ seconds }) => [seconds, start(seconds), 1, 5, 1]),
    )
    expect(
      fresh.rows('SELECT DISTINCT grouping, member_id FROM rollups ORDER BY grouping'),
    ).toEqual([
      [0, 0],
      [1, 7],
      [2, 8],
      [3, 9],
      [4, 1],
      [5, 1],
    ])
  })

  it('grow by what is written later, and nothing is written twice', () => {
    const sums = createRollupSums(fresh.db)
    sums.add({ at: NOW, tokens: 5, failed: false }, members)
    sums.write(NOW)
    sums.write(NOW)
    sums.add({ at: NOW, tokens: 2, failed: true }, members)
    sums.write(NOW)

    expect(fresh.rows(TOTALS).at(-1)).toEqual([86_400, DAY / 1000, 2, 7, 1])
  })

  it('are not written when they are discarded', () => {
    const sums = createRollupSums(fresh.db)
    sums.add({ at: NOW, tokens: 5, failed: false }, members)
    sums.discard()
    sums.write(NOW)

    expect(fresh.rows(TOTALS)).toEqual([])
  })

  it('become the larger of both, measure by measure, where rows are counted again', () => {
    const sums = createRollupSums(fresh.db)
    sums.add({ at: NOW, tokens: 9, failed: false }, members)
    sums.write(NOW)
    const counted = createRollupSums(fresh.db, 'larger')
    for (const tokens of [1, 2]) counted.add({ at: NOW, tokens, failed: true }, members)
    counted.write(NOW)

    expect(fresh.rows(TOTALS).at(-1)).toEqual([86_400, DAY / 1000, 2, 9, 2])
  })

  it('of tokens stop at the largest exact number', () => {
    const sums = createRollupSums(fresh.db)
    for (let count = 0; count < 3; count += 1) {
      sums.add({ at: NOW, tokens: Number.MAX_SAFE_INTEGER, failed: false }, members)
      sums.add({ at: NOW, tokens: 2, failed: false }, members)
      sums.write(NOW)
    }

    expect(fresh.rows(TOTALS).at(-1)).toEqual([86_400, DAY / 1000, 6, Number.MAX_SAFE_INTEGER, 0])
  })

  it('of a request long ago are kept by the day alone', () => {
    const sums = createRollupSums(fresh.db)
    sums.add({ at: epochMs(NOW - 400 * DAY_MS), tokens: 5, failed: false }, members)
    sums.write(NOW)

    expect(fresh.rows('SELECT DISTINCT tier_seconds FROM rollups')).toEqual([[86_400]])
  })

  it.each(tiers.filter(({ keptSeconds }) => Number.isFinite(keptSeconds)))(
    'of $seconds s are kept until $keptSeconds s after their end',
    (tier) => {
      const endsAt = NOW / 1000 - tier.keptSeconds

      expect(isKept(endsAt - tier.seconds, tier, NOW)).toBe(false)
      expect(isKept(endsAt - tier.seconds + 1, tier, NOW)).toBe(true)
    },
  )

  it('are deleted a few at a time, until only those that are kept are left', () => {
    const sums = createRollupSums(fresh.db)
    for (let minute = 0; minute < 10; minute += 1)
      sums.add({ at: epochMs(NOW - minute * 60_000), tokens: 1, failed: false }, members)
    sums.write(NOW)
    const later = epochMs(NOW + 400 * DAY_MS)
    const before = fresh.rows(TOTALS).length
    expect(pruneRollups(fresh.db, later, 3)).toBe(true)
    expect(fresh.rows(TOTALS).length).toBe(before - 3)
    while (pruneRollups(fresh.db, later, 3));

    expect(fresh.rows(TOTALS)).toEqual([[86_400, DAY / 1000, 10, 10, 0]])
  })
})
