import { epochMs } from '@svc/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { createMeta } from './meta.ts'
import { takeBackFuture } from './retention.ts'
import { createRollupSums } from './rollups.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAY = Date.UTC(2026, 10, 20)
const NOW = epochMs(DAY + 12 * HOUR_MS)

describe('what a wrong clock has left behind', () => {
  let fresh: FreshDatabase

  beforeEach(() => {
    fresh = freshDatabase()
  })
  afterEach(() => fresh.remove())

  const takeBack = () => {
    const meta = createMeta(fresh.db)
    meta.set({ cut_ms: NOW + 400 * DAY_MS })
    takeBackFuture(fresh.db, meta, NOW)
    return meta.read().instant('cut_ms')
  }
  const sumAt = (at: number) => {
    const sums = createRollupSums(fresh.db)
    sums.add(
      { at: epochMs(at), tokens: 1, failed: false },
      { account: 1, model: 1, api: 1, upstream: 1, provider: 1 },
    )
    sums.write(epochMs(at))
  }
  const gapsAfter = (...gaps: readonly (readonly [from: number, to: number])[]) => {
    for (const [from, to] of gaps)
      fresh.db.prepare("INSERT INTO gaps VALUES (1, ?, ?, 'restart')").run(NOW + from, NOW + to)
    takeBack()
    return (fresh.rows('SELECT from_ms, to_ms FROM gaps ORDER BY from_ms') as number[][]).map(
      (gap) => gap.map((at) => at - NOW),
    )
  }

  it('is no cut at all in a store without sums', () => {
    expect(takeBack()).toBeNull()
  })

  it.each([
    { name: 'the day before', at: DAY - 1, cut: DAY },
    { name: 'today', at: DAY, cut: NOW - HOUR_MS },
    { name: 'a week ago', at: DAY - 7 * DAY_MS, cut: DAY - 6 * DAY_MS },
  ])('cuts behind the newest day with sums, $name, or an hour ago', ({ at, cut }) => {
    sumAt(at)

    expect(takeBack()).toBe(cut)
  })

  it('does not count sums of that clock as days that were', () => {
    sumAt(DAY - 1)
    sumAt(NOW + 30 * DAY_MS)

    expect(takeBack()).toBe(DAY)
  })

  it('ends a gap now that goes on beyond, and keeps the one before', () => {
    expect(gapsAfter([-50, -20], [-10, 900])).toEqual([
      [-50, -20],
      [-10, 0],
    ])
  })

  it('makes one of two gaps that end now and begin at the same time', () => {
    expect(gapsAfter([-10, 0], [-10, 900])).toEqual([[-10, 0]])
  })

  it('deletes a gap that begins later', () => {
    expect(gapsAfter([1, 900])).toEqual([])
  })

  it('keeps a gap that begins later where a row says that its time has come', () => {
    fresh.db.pragma('foreign_keys = OFF')
    fresh.db
      .prepare(
        'INSERT INTO usage (at_ms, key, account_id, api_name_id, model_id, tokens, failed) VALUES (?, 1, 1, 1, 1, 1, 0)',
      )
      .run(NOW + 500)

    expect(gapsAfter([400, 900], [600, 900])).toEqual([[400, 900]])
  })

  it('moves changes of that clock to now and no others', () => {
    for (const at of [NOW - 1, NOW, NOW + 1])
      fresh.db
        .prepare("INSERT INTO recent_changes (at_ms, tone, detail) VALUES (?, 'bad', '{}')")
        .run(at)
    takeBack()

    expect(fresh.rows('SELECT at_ms FROM recent_changes ORDER BY id')).toEqual([
      [NOW - 1],
      [NOW],
      [NOW],
    ])
  })
})
