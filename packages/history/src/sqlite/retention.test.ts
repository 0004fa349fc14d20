import { statSync } from 'node:fs'
import { plusMs } from '@svc/core'
import { DEFAULT_UPSTREAM } from '@svc/core/service'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase } from '../testing/fresh-database.ts'
import { ownStores } from '../testing/own-stores.ts'
import { aBatch, aDetail, NOW } from '../testing/stored-usage.ts'
import { groupings, tiersOf } from '../usage/tiers.ts'
import { connectionTo } from './connection.ts'
import { openForReading } from './open-database.ts'
import { retentionStep } from './sqlite-store.ts'

const DAY_MS = 86_400_000
const stores = ownStores()
const { withStore } = stores
let path: string
beforeEach(() => {
  path = stores.nextPath()
})
afterAll(stores.remove)

describe('retention', () => {
  it('forgets rows by whole days, keeps what they add up to, and gives the space back', async () => {
    await withStore(async (store) => {
      const rows = Array.from({ length: 90_000 }, (_, number) =>
        aDetail(number, { at: plusMs(NOW, -number * 100_000) }),
      )
      for (let start = 0; start < rows.length; start += 5_000)
        await store.usageOf(DEFAULT_UPSTREAM).record(aBatch(rows.slice(start, start + 5_000)))
      await store.checkpoint()
      const before = statSync(path).size
      let steps = 0
      for (let more = true; more; steps += 1)
        more = await store.retain({ usageDays: 10, historyDays: 10 }, { asOf: NOW, rowsMax: 2_000 })
      await store.checkpoint()
      expect(steps).toBeGreaterThan(20)
      expect(statSync(path).size).toBeLessThan((before * 2) / 3)
    })
    const db = openForReading(path)
    const oldest = Number(db.prepare('SELECT min(at_ms) FROM usage').pluck().get())
    expect(oldest).toBeGreaterThanOrEqual(Math.floor(NOW / DAY_MS - 10) * DAY_MS)
    expect(
      db
        .prepare('SELECT sum(requests) FROM rollups WHERE grouping = 0 AND tier_seconds = 86400')
        .pluck()
        .get(),
    ).toBe(90_000)
    const firstOf = db
      .prepare('SELECT min(bucket_s) FROM rollups WHERE grouping = ? AND tier_seconds = ?')
      .pluck()
    for (const grouping of Object.values(groupings))
      for (const { seconds, keptSeconds } of tiersOf(grouping).slice(0, -1))
        expect(Number(firstOf.get(grouping, seconds)) + seconds).toBeGreaterThan(
          NOW / 1000 - keptSeconds - seconds,
        )
    db.close()
  })

  it('waits for the disk again once a step is done', async () => {
    const fresh = freshDatabase()
    fresh.db.exec(
      "CREATE TRIGGER full BEFORE INSERT ON meta BEGIN SELECT RAISE(ABORT, 'full'); END",
    )
    const plan = { usageDays: 1, historyDays: 1 }

    await expect(
      retentionStep(fresh.db, connectionTo(fresh.db), plan, { asOf: NOW, rowsMax: 1 }),
    ).rejects.toThrow('full')
    expect(fresh.db.pragma('synchronous', { simple: true })).toBe(2)
    fresh.remove()
  })
})
