import { plusMs } from '@svc/core'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from './open-history.ts'
import type { HistoryStore } from './sql/history-store.ts'
import { type EmptyStore, emptyStores } from './testing/empty-stores.ts'
import { changeAt, pointAt } from './testing/pool-course.ts'
import { aBatch, aDetail, NOW } from './testing/stored-usage.ts'

const DAY_MS = 86_400_000

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('retention in $engine', ({ whyNot, create }) => {
  let store: EmptyStore
  let history: HistoryStore
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
    history = await openHistory(store.location)
  })
  afterEach(() => history?.close())

  const forget = async (days: number, asOf = NOW) => {
    while (
      await history.retain({ usageDays: days, historyDays: days }, { asOf, rowsMax: 2_000 })
    ) {}
  }
  const record = (age: number) =>
    history
      .usageOf('default')
      .record(aBatch([aDetail(1, { at: plusMs(NOW, -age), key: BigInt(age) })]))
  const countOf = async (table: 'gaps' | 'quarantine' | 'usage') =>
    Number((await store.rows(sql`SELECT count(*) FROM ${store.tables[table]}`))[0]?.[0])

  it('never goes back: what is gone is not stored a second time', async () => {
    await record(3 * DAY_MS)
    await forget(2)
    await forget(90)
    expect(await record(3 * DAY_MS)).toMatchObject({ expired: 1, stored: 0 })
    expect((await history.facts()).forgottenAsOf).toBe(NOW)

    await forget(90, plusMs(NOW, -60 * DAY_MS))
    expect(await record(3 * DAY_MS)).toMatchObject({ expired: 1, stored: 0 })
  })

  it('takes a cut of the future back, and every gap and change of that clock', async () => {
    const future = plusMs(NOW, 400 * DAY_MS)
    await record(2 * DAY_MS)
    await forget(90, future)
    expect(await record(1)).toMatchObject({ expired: 1 })
    await history
      .usageOf('default')
      .recordGap({ from: plusMs(NOW, -60_000), to: future, reason: 'retention_exceeded' })
    await history.quota.record({ points: [], readings: [], changes: [changeAt(future)] })

    await history.settleFuture(NOW)
    expect(await record(2)).toMatchObject({ stored: 1, expired: 0 })
    expect(await history.missedMs(plusMs(NOW, -DAY_MS), plusMs(NOW, DAY_MS))).toBe(60_000)
    expect((await history.quota.changes(5)).map(({ at }) => at)).toEqual([NOW])
    // What was forgotten is not counted a second time.
    expect(await record(2 * DAY_MS)).toMatchObject({ expired: 1 })
    await history.settleFuture(NOW)
  })

  it('deletes by its plan, whatever the store says of its cut', async () => {
    await record(1)
    await store.change(
      sql`INSERT INTO ${store.tables.meta} (name, value) VALUES ('cut_ms', ${String(NOW + 1)})`,
    )
    await forget(90)

    expect(await countOf('usage')).toBe(1)
  })

  it('forgets gaps and the course of the pool', async () => {
    for (const age of [3 * DAY_MS, DAY_MS])
      await history.usageOf('default').recordGap({
        from: plusMs(NOW, -age - 1),
        to: plusMs(NOW, -age),
        reason: 'batch_lost',
      })
    const points = [3, 1].map((days) => pointAt(NOW - days * DAY_MS, 1))
    await history.quota.record({ points, readings: [], changes: [] })
    await forget(2)

    expect(await countOf('gaps')).toBe(1)
    expect(await history.quota.points(plusMs(NOW, -9 * DAY_MS))).toHaveLength(1)
  })
})
