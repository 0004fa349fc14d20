import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { connectionTo } from './connection.ts'
import { createDictionaries } from './dictionary.ts'

describe('the dictionaries of a store', () => {
  let fresh: FreshDatabase

  beforeEach(() => {
    fresh = freshDatabase()
  })
  afterEach(() => fresh.remove())
  const dictionaries = (instance = 'one') =>
    createDictionaries(fresh.db, connectionTo(fresh.db), instance)

  it('give a name its number once, and the next process the same one', async () => {
    const ids = await dictionaries().models.idsOf(['a', 'a', 'b'])

    expect(ids.get('a')).not.toBe(ids.get('b'))
    expect(await dictionaries().models.idsOf(['a'])).toEqual(ids)
    expect(fresh.rows('SELECT name FROM models ORDER BY name')).toEqual([['a'], ['b']])
  })

  it('remember no name that was not stored', async () => {
    const { apiNames } = dictionaries()
    fresh.db.exec(
      "CREATE TRIGGER full BEFORE INSERT ON api_names WHEN new.name = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    await expect(apiNames.idsOf(['a', 'b'])).rejects.toThrow()
    const id = (await apiNames.idsOf(['a'])).get('a')

    expect(fresh.rows('SELECT id, name FROM api_names')).toEqual([[id, 'a']])
  })

  it.each(["it's", "'; DROP TABLE accounts; --", ''])(
    'hold accounts of the instance %j apart from those of another',
    async (instance) => {
      for (const one of [instance, 'other']) await dictionaries(one).accounts.idsOf(['key'])

      expect(fresh.rows('SELECT instance, key FROM accounts ORDER BY id')).toEqual([
        [instance, 'key'],
        ['other', 'key'],
      ])
    },
  )
})
