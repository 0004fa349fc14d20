import { epochMs } from '@svc/core'
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory } from '../open-history.ts'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { aBatch, aDetail } from '../testing/stored-usage.ts'
import { readMeta, setMeta } from './meta.ts'
import { takeBackFuture } from './retention.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const DAY = Date.UTC(2026, 10, 20)
const NOW = epochMs(DAY + 12 * HOUR_MS + 500)

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('what a wrong clock has left in $engine', ({ whyNot, create }) => {
  let store: EmptyStore
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
  })

  const takeBack = async () => {
    await setMeta(store.db, { cut_ms: NOW + 400 * DAY_MS })
    await takeBackFuture(store.db, NOW)
    return (await readMeta(store.db)).instant('cut_ms')
  }
  const addUsage = async (...instants: readonly number[]) => {
    const history = await openHistory(store.location)
    const details = instants.map((at) => aDetail(1, { at: epochMs(at) }))
    await history.usageOf('default').record(aBatch(details, { receivedAt: epochMs(DAY) }))
    await history.close()
  }
  const gapsAfter = async (...gaps: readonly (readonly [from: number, to: number])[]) => {
    for (const [from, to] of gaps)
      await store.change(
        sql`INSERT INTO ${store.tables.gaps} VALUES (1, ${NOW + from}, ${NOW + to}, 'restart')`,
      )
    await takeBack()
    const left = await store.rows(
      sql`SELECT from_ms, to_ms FROM ${store.tables.gaps} ORDER BY from_ms`,
    )
    return left.map((gap) => gap.map((at) => Number(at) - NOW))
  }

  it('is no cut at all in a store without sums', async () => {
    expect(await takeBack()).toBeNull()
  })

  it.each([
    { name: 'the day before', at: DAY - 1, cut: DAY },
    { name: 'today', at: DAY, cut: NOW - HOUR_MS },
    { name: 'a week ago', at: DAY - 7 * DAY_MS, cut: DAY - 6 * DAY_MS },
  ])('cuts behind the newest day with sums, $name, or an hour ago', async ({ at, cut }) => {
    await addUsage(at)

    expect(await takeBack()).toBe(cut)
  })

  it('does not count sums of that clock as days that were', async () => {
    await addUsage(NOW + 30 * DAY_MS)
    expect(await takeBack()).toBeNull()

    await addUsage(DAY - 1)
    expect(await takeBack()).toBe(DAY)
  })

  it('ends a gap now that goes on beyond, and keeps the one before', async () => {
    expect(await gapsAfter([-50, -20], [-10, 900])).toEqual([
      [-50, -20],
      [-10, 0],
    ])
  })

  it('makes one of two gaps that end now and begin at the same time', async () => {
    expect(await gapsAfter([-10, 0], [-10, 900])).toEqual([[-10, 0]])
  })

  it('deletes a gap that begins later, unless a row says that its time has come', async () => {
    expect(await gapsAfter([1, 900])).toEqual([])

    await addUsage(NOW + 500)
    expect(await gapsAfter([400, 900], [600, 900])).toEqual([[400, 900]])
  })

  it('moves changes of that clock to now and no others', async () => {
    for (const [id, at] of [NOW - 1, NOW, NOW + 1].entries())
      await store.change(
        sql`INSERT INTO ${store.tables.recentChanges} VALUES (${id}, ${at}, 'bad', '{}')`,
      )
    await takeBack()

    expect(
      await store.rows(sql`SELECT at_ms FROM ${store.tables.recentChanges} ORDER BY id`),
    ).toEqual([[NOW - 1], [NOW], [NOW]])
  })
})
