import { statSync } from 'node:fs'
import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { aDetail, NOW, storeUsage } from '../testing/stored-usage.ts'
import { createMeta, type Meta } from './meta.ts'
import { createUsageExtent } from './usage-reader.ts'

const DAY_MS = 86_400_000
const startOfDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS

let fresh: FreshDatabase
let meta: Meta
let extent: ReturnType<typeof createUsageExtent>
beforeEach(() => {
  fresh = freshDatabase()
  meta = createMeta(fresh.db)
  extent = createUsageExtent(fresh.db, fresh.path, meta)
})
afterEach(() => fresh.remove())

const addGap = (from: EpochMs, to: EpochMs) =>
  fresh.db
    .prepare(
      "INSERT INTO gaps (upstream_id, from_ms, to_ms, reason) VALUES (1, ?, ?, 'batch_lost')",
    )
    .run(from, to)

describe('usage', () => {
  it('that a store has none of begins and ends nowhere', () => {
    expect(extent.earliest()).toBeNull()
    expect(extent.latest(NOW)).toBeNull()
  })

  it('begins with its first row, although the day of that began before', () => {
    storeUsage(fresh.db, [aDetail(60), aDetail(5)])

    expect(extent.earliest()).toBe(NOW - 60_000)
  })

  it('begins with the day of which only the sum is left', () => {
    const old = aDetail(1, { at: plusMs(NOW, -3 * DAY_MS), key: 9n })
    storeUsage(fresh.db, [old, aDetail(5)])
    expect(extent.earliest()).toBe(old.at)
    fresh.db.exec(`DELETE FROM usage WHERE at_ms = ${old.at}`)
    expect(extent.earliest()).toBe(startOfDay(old.at))
    fresh.db.exec('DELETE FROM usage')

    expect(extent.earliest()).toBe(startOfDay(old.at))
  })

  it('ends with the newest row before now', () => {
    storeUsage(fresh.db, [aDetail(60), aDetail(0), aDetail(-60)])

    expect(extent.latest(NOW)).toBe(NOW - 60_000)
    expect(extent.latest(plusMs(NOW, 1))).toBe(NOW)
  })
})

describe('the time that was observed', () => {
  it('is none before the proxy was read', () => {
    expect(extent.history(NOW)).toMatchObject({ observedSeconds: 0, gapSeconds: 0 })
  })

  it.each([
    { days: 3, observedDays: 3 },
    { days: 30, observedDays: 30 },
    { days: 31, observedDays: 30 },
    { days: -1, observedDays: 0 },
  ])('is $observedDays d where the proxy was first read $days d ago', ({ days, observedDays }) => {
    meta.set({ first_poll_ms: plusMs(NOW, -days * DAY_MS) })

    expect(extent.history(NOW).observedSeconds).toBe(observedDays * 86_400)
  })

  it('has gaps only where it was observed', () => {
    meta.set({ first_poll_ms: plusMs(NOW, -DAY_MS) })
    addGap(plusMs(NOW, -DAY_MS - 5000), plusMs(NOW, -DAY_MS + 3000))
    addGap(plusMs(NOW, -2000), plusMs(NOW, 9000))

    expect(extent.history(NOW).gapSeconds).toBe(5)
  })
})

describe('what a store says of itself', () => {
  it('are its counters, its last write and its bytes with those of the log', () => {
    meta.set({ last_write_ms: epochMs(NOW - 7) })
    meta.add({ duplicate: 4, missing: 2 })

    expect(extent.history(NOW)).toMatchObject({
      lastWriteAt: NOW - 7,
      duplicates: 4,
      missing: 2,
      databaseBytes: statSync(fresh.path).size + statSync(`${fresh.path}-wal`).size,
    })
  })
})
