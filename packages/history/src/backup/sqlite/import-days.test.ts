import { epochMs } from '@svc/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../testing/fresh-database.ts'
import { createDays } from './import-days.ts'

const DAY_MS = 86_400_000
const DAY = Date.UTC(2026, 10, 20)
const NOW = epochMs(DAY + DAY_MS)
const members = { account: 1, model: 1, api: 1, upstream: 1, provider: 1 }

describe('the days of an import', () => {
  let fresh: FreshDatabase

  beforeEach(() => {
    fresh = freshDatabase()
    fresh.db.pragma('foreign_keys = OFF')
  })
  afterEach(() => fresh.remove())

  const addRow = (days: ReturnType<typeof createDays>, at: number, tokens = 10) => {
    days.begin(at)
    fresh.db
      .prepare(
        'INSERT INTO usage (at_ms, key, account_id, api_name_id, model_id, tokens, failed, provider_id) VALUES (?, ?, 1, 1, 1, ?, 0, 1)',
      )
      .run(at, at, tokens)
    days.added({ at: epochMs(at), tokens, failed: false }, members)
  }
  /** Every sum of the days with this many requests and tokens, as after rows that were forgotten. */
  const raiseSums = (requests: number, tokens: number) =>
    fresh.db
      .prepare('UPDATE rollups SET requests = ?, tokens = ? WHERE tier_seconds = 86400')
      .run(requests, tokens)
  const sums = () =>
    fresh.rows(
      'SELECT bucket_s * 1000, requests, tokens FROM rollups WHERE tier_seconds = 86400 AND grouping = 0 ORDER BY bucket_s',
    )

  it('add up their rows, in one transaction or in several', () => {
    const days = createDays(fresh.db, NOW)
    addRow(days, DAY)
    days.finish()
    addRow(days, DAY + 1)
    addRow(days, DAY + DAY_MS)
    days.end()

    expect(sums()).toEqual([
      [DAY, 2, 20],
      [DAY + DAY_MS, 1, 10],
    ])
  })

  it('add nothing for a row that was there', () => {
    const days = createDays(fresh.db, NOW)
    addRow(days, DAY)
    days.begin(DAY)
    days.end()

    expect(sums()).toEqual([[DAY, 1, 10]])
  })

  it('keep sums that are more than their rows, because rows were forgotten', () => {
    const first = createDays(fresh.db, NOW)
    addRow(first, DAY)
    first.end()
    raiseSums(5, 50)
    const second = createDays(fresh.db, NOW)
    addRow(second, DAY + 1)
    second.end()

    expect(sums()).toEqual([[DAY, 5, 50]])
  })

  it('grow to what their rows add up to, where that is more in the end', () => {
    const first = createDays(fresh.db, NOW)
    addRow(first, DAY)
    first.end()
    raiseSums(2, 11)
    const second = createDays(fresh.db, NOW)
    for (const at of [DAY + 1, DAY + 2]) addRow(second, at)
    second.end()

    expect(sums()).toEqual([[DAY, 3, 30]])
  })
})
