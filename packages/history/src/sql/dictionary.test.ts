import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyStore, emptyStores } from '../testing/empty-stores.ts'
import { createDictionaries } from './dictionary.ts'

const stores = emptyStores()
afterAll(stores.remove)

describe.each(stores.engines)('the dictionaries of a store in $engine', (stored) => {
  let store: EmptyStore
  beforeEach(async (context) => {
    if (stored.whyNot !== null) context.skip(stored.whyNot)
    store = await stored.create()
  })
  const dictionaries = (instance = 'one') => createDictionaries(store.db, instance)
  const modelNames = () =>
    store.rows(sql`SELECT name FROM ${store.tables.models} ORDER BY ${store.tables.models.id}`)

  it('give a name its number once, without gaps, and the next process the same one', async () => {
    const ids = await dictionaries().models.idsOf(['a', 'a', 'b'])

    expect(new Set(ids.values())).toEqual(new Set([1, 2]))
    const next = dictionaries().models
    expect(await next.idsOf(['c', 'b', 'a'])).toEqual(new Map([...ids, ['c', 3]]))
    expect(await modelNames()).toEqual([['a'], ['b'], ['c']])
  })

  it('find what another writer has learned meanwhile', async () => {
    const [one, other] = [dictionaries(), dictionaries()]
    await one.apiNames.idsOf(['x'])

    expect(await other.apiNames.idsOf(['x', 'y'])).toEqual(
      new Map([
        ['x', 1],
        ['y', 2],
      ]),
    )
  })

  it('number more names than one statement takes', async () => {
    const names = Array.from({ length: 1_201 }, (_, number) => `name ${number}`)
    const ids = await dictionaries().apiNames.idsOf(names)

    expect(new Set(ids.values()).size).toBe(names.length)
    expect(await dictionaries().apiNames.idsOf(names)).toEqual(ids)
  })

  it.each(["it's", "'; DROP TABLE accounts; --", ''])(
    'hold accounts of the instance %j apart from those of another',
    async (instance) => {
      const { accounts } = store.tables
      const own = await dictionaries(instance).accounts.idsOf(['key'])
      const other = await dictionaries('other').accounts.idsOf(['key'])

      expect([own.get('key'), other.get('key')]).toEqual([1, 2])
      expect(
        await store.rows(
          sql`SELECT instance, ${accounts.key}, title FROM ${accounts} ORDER BY ${accounts.id}`,
        ),
      ).toEqual([
        [instance, 'key', ''],
        ['other', 'key', ''],
      ])
    },
  )

  it.each([
    ['"quoted", {braced} and \\ 𝕏', '"quoted", {braced} and \\ 𝕏'],
    ['a\0b', 'a�b'],
    ['half \uD83D', 'half �'],
  ])('store %j as a database can', async (name, stored) => {
    expect(await dictionaries().models.idsOf([name, stored])).toEqual(
      new Map([
        [name, 1],
        [stored, 1],
      ]),
    )
    expect(await modelNames()).toEqual([[stored]])
  })

  it('count everything as one that comes once there is no number left', async () => {
    const table = store.tables.providers
    await store.change(
      sql`INSERT INTO ${table} WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 31999) SELECT n, 'p' || n FROM numbers`,
    )
    const { providers } = dictionaries()
    const ids = await providers.idsOf(['q1', 'q2', 'p7', 'q3'])

    expect([...ids.values()].sort((one, other) => one - other)).toEqual([7, 32_000, 32_001, 32_001])
    expect(await providers.idsOf(['later'])).toEqual(new Map([['later', 32_001]]))
    expect(await store.rows(sql`SELECT name FROM ${table} WHERE id > 32000`)).toEqual([
      ['(others)'],
    ])
  })
})

it('a dictionary of a file remembers no name that was not stored', async () => {
  const store = await stores.engines.find(({ engine }) => engine === 'sqlite')?.create()
  if (store === undefined) throw new Error('a file can always be made')
  const { models } = createDictionaries(store.db, 'one')
  const table = store.tables.models
  await store.change(
    sql`CREATE TRIGGER full BEFORE INSERT ON ${table} WHEN new.name = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END`,
  )
  await expect(models.idsOf(['a', 'b'])).rejects.toThrow()
  const id = (await models.idsOf(['a'])).get('a')

  expect(await store.rows(sql`SELECT id, name FROM ${table}`)).toEqual([[id, 'a']])
})
