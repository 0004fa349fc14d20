import { type EpochMs, epochMs, plusMs } from '@svc/core'
import { type SQL, sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyStore, emptyStores } from '../../testing/empty-stores.ts'
import { createDays, isDayExact } from './import-days.ts'
import { createNames } from './import-names.ts'

const DAY = epochMs(Date.UTC(2026, 10, 20))
const NOW = plusMs(DAY, 86_400_000)
const stores = emptyStores()
let store: EmptyStore
afterAll(stores.remove)

const request = (key: number, upstream = 1) => ({
  detail: {
    at: plusMs(DAY, key * 1_000),
    key: BigInt(key),
    accountKey: 'ann',
    apiName: 'key',
    model: 'm',
    tokens: 10,
    failed: key === 1,
    provider: 'codex',
    classes: null,
  },
  members: { account: 1, model: 1, api: 1, upstream, provider: 1 },
})

/** Adds these as an import would that knows, or does not know, what proxies they are of. */
async function add(
  rows: readonly ReturnType<typeof request>[],
  upstreams: readonly string[] | null = null,
) {
  const { db, engine } = store
  await engine.rows.makeRoom([DAY])
  const names = createNames(db)
  const numbered = await names.rates.rowsOf(rows)
  const days = createDays({ db, names, rows: engine.rows }, NOW, upstreams)
  await db.transaction('write', async () => {
    await days.begin(rows.map(({ detail }) => detail.at))
    await days.added(await engine.rows.insert(numbered))
    await days.end(null)
  })
}
const sums = (where: SQL, seconds = 86_400) => {
  const { sums, ofTier } = store.tables.sumsOfTier(seconds)
  const total = (column: string) => sql.raw(`CAST(sum(${column}) AS integer)`)
  return store.rows(
    sql`SELECT ${total('requests')} AS a, ${total('tokens')} AS b, ${total('failed')} AS c FROM ${sums} WHERE ${ofTier} AND ${where}`,
  )
}
const forget = (below: EpochMs) =>
  store.change(sql`DELETE FROM ${store.tables.usage} WHERE at_ms < ${below}`)

describe.each(stores.engines)('the sums of a day in $engine', ({ engine, whyNot, create }) => {
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
    const { accounts, apiNames, models, providers, upstreams } = store.tables
    await store.change(
      sql`INSERT INTO ${upstreams} (id, name) VALUES ${engine === 'sqlite' ? sql`` : sql`(1, 'tokyo'),`} (2, 'berlin')`,
    )
    await store.change(
      sql`INSERT INTO ${accounts} (id, instance, key, title) VALUES (1, 'i', 'ann', '')`,
    )
    for (const table of [apiNames, models, providers])
      await store.change(sql`INSERT INTO ${table} (id, name) VALUES (1, 'codex')`)
  })

  it('grow by what was not there before, in every width', async () => {
    await add([request(1), request(2)])
    await add([request(2), request(3)])

    expect(await sums(sql`grouping = 0`)).toEqual([[3, 30, 1]])
    expect(await sums(sql`grouping = 5`, 60)).toEqual([[3, 30, 1]])
  })

  it('are left where rows were forgotten, unless the rows come to more', async () => {
    await add([request(1), request(2), request(3)])
    await forget(plusMs(DAY, 2_000))
    await add([request(4)])
    expect(await sums(sql`grouping = 0`)).toEqual([[3, 30, 1]])

    await add([request(1), request(5)])
    expect(await sums(sql`grouping = 0`)).toEqual([[5, 50, 1]])
  })

  it('grow by those of a proxy of which nothing was forgotten', async () => {
    await add([request(1), request(2), request(3), request(5, 2)])
    await forget(plusMs(DAY, 3_000))
    await add([request(4, 2)], ['berlin'])

    expect(await sums(sql`grouping = 0`)).toEqual([[5, 50, 1]])
    expect(await sums(sql`grouping = 4 AND member_id = 2`)).toEqual([[2, 20, 0]])
  })

  it('are exact until one of them differs', async () => {
    await add([request(1), request(2)])
    expect(await isDayExact(store.db, DAY, null)).toBe(true)

    const { sums, ofTier } = store.tables.sumsOfTier(86_400)
    await store.change(sql`UPDATE ${sums} SET tokens = 30 WHERE ${ofTier} AND grouping = 2`)
    expect(await isDayExact(store.db, DAY, null)).toBe(false)
  })
})
