import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { createDictionaries } from './dictionary.ts'

describe('the dictionaries of a store', () => {
  let fresh: FreshDatabase

  beforeEach(() => {
    fresh = freshDatabase()
  })
  afterEach(() => fresh.remove())

  it('give a name its number once, and the next process the same one', () => {
    const { models } = createDictionaries(fresh.db, 'one')
    const [first, again, other] = ['a', 'a', 'b'].map(models.idOf)

    expect(again).toBe(first)
    expect(other).not.toBe(first)
    expect(createDictionaries(fresh.db, 'one').models.idOf('a')).toBe(first)
    expect(fresh.rows('SELECT name FROM models ORDER BY name')).toEqual([['a'], ['b']])
  })

  it('forget a name whose transaction was rolled back', () => {
    const { apiNames, forget } = createDictionaries(fresh.db, 'one')
    fresh.db.exec('BEGIN')
    apiNames.idOf('lost')
    fresh.db.exec('ROLLBACK')
    forget()
    const id = apiNames.idOf('lost')

    expect(fresh.rows('SELECT id, name FROM api_names')).toEqual([[id, 'lost']])
  })

  it('keep a name of an earlier transaction when a later one is rolled back', () => {
    const { apiNames, forget } = createDictionaries(fresh.db, 'one')
    const id = apiNames.idOf('kept')
    forget()

    expect(apiNames.idOf('kept')).toBe(id)
  })

  it.each(["it's", "'; DROP TABLE accounts; --", ''])(
    'hold accounts of the instance %j apart from those of another',
    (instance) => {
      const own = createDictionaries(fresh.db, instance)
      const other = createDictionaries(fresh.db, 'other')
      const ids = [own, other].map(({ accounts }) => accounts.idOf('key'))

      expect(new Set(ids).size).toBe(2)
      expect(fresh.rows('SELECT instance, key FROM accounts ORDER BY id')).toEqual([
        [instance, 'key'],
        ['other', 'key'],
      ])
    },
  )
})
