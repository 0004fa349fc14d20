import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { addCounts, clearMeta, giveIdentity, readMeta, setMeta, setMetaOnce } from './meta.ts'

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('what a store in $engine knows of itself', ({ whyNot, create }) => {
  let store: EmptyStore
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
  })

  const read = () => readMeta(store.db)

  it('is null, or no record, before anything is set', async () => {
    const values = await read()

    expect([values.text('instance'), values.instant('cut_ms'), values.count('seen')]).toEqual([
      null,
      null,
      0,
    ])
    expect(new Set(Object.values(values.counters()))).toEqual(new Set([0]))
  })

  it('is replaced by what is set later, and gone when it is cleared', async () => {
    await setMeta(store.db, { cut_ms: 5, last_write_ms: 1 })
    await setMeta(store.db, { cut_ms: 7 })
    expect((await read()).instant('cut_ms')).toBe(7)

    await clearMeta(store.db, 'cut_ms')
    expect((await read()).instant('cut_ms')).toBeNull()
    expect((await read()).instant('last_write_ms')).toBe(1)
  })

  it('can be set unless it is already', async () => {
    expect(await setMetaOnce(store.db, { first_poll_ms: 5 })).toBe(true)
    expect(await setMetaOnce(store.db, { first_poll_ms: 9 })).toBe(false)
    expect((await read()).instant('first_poll_ms')).toBe(5)
  })

  it.each([
    { stored: 'yesterday', at: null },
    { stored: '1.5', at: null },
    { stored: '9007199254740992', at: null },
    { stored: '9007199254740991', at: 9007199254740991 },
    { stored: '-1', at: -1 },
  ])('reads the time $stored as $at', async ({ stored, at }) => {
    await setMeta(store.db, { cut_ms: stored })

    expect((await read()).instant('cut_ms')).toBe(at)
  })

  it('adds to the counters that were given, and writes none for nothing', async () => {
    await addCounts(store.db, { seen: 3, stored: 2, duplicate: 0 })
    await addCounts(store.db, { seen: 1 })
    await addCounts(store.db, {})

    expect((await read()).counters()).toMatchObject({ seen: 4, stored: 2, duplicate: 0 })
    expect(
      await store.rows(
        sql`SELECT name FROM ${store.tables.meta} WHERE name <> 'schema_version' ORDER BY name`,
      ),
    ).toEqual([['seen'], ['stored']])
  })

  it('has an identity that is given once, and differs from that of another store', async () => {
    const other = await create()
    const identityOf = async (one: EmptyStore) => {
      const values = await readMeta(one.db)
      return [values.text('instance'), values.text('fingerprint_key')]
    }
    expect(await giveIdentity(store.db)).toBe(true)
    const first = await identityOf(store)
    await giveIdentity(other.db)

    expect(await giveIdentity(store.db)).toBe(false)
    expect(await identityOf(store)).toEqual(first)
    expect(first[0]).toMatch(/^[0-9a-f]{16}$/)
    expect(first[1]).toMatch(/^[0-9a-f]{64}$/)
    expect(await identityOf(other)).not.toEqual(first)
  })
})
