import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../../testing/fresh-database.ts'
import { createNames } from './import-names.ts'

describe('the names of an import', () => {
  let fresh: FreshDatabase

  beforeEach(() => {
    fresh = freshDatabase()
  })
  afterEach(() => fresh.remove())

  it('get the numbers that they already have in the store', () => {
    fresh.db.prepare("INSERT INTO models (id, name) VALUES (41, 'm')").run()
    fresh.db.prepare("INSERT INTO api_names (id, name) VALUES (42, 'k')").run()
    fresh.db
      .prepare("INSERT INTO accounts (id, instance, key, title) VALUES (43, 'i', 'a', 't')")
      .run()
    const names = createNames(fresh.db)

    expect([names.modelId('m'), names.apiNameId('k'), names.accountId('i', 'a')]).toEqual([
      41, 42, 43,
    ])
  })

  it('get one number however often they come', () => {
    const names = createNames(fresh.db)

    expect(names.modelId('m')).toBe(names.modelId('m'))
    expect(names.accountId('i', 'a')).toBe(names.accountId('i', 'a'))
    expect(names.accountId('i', 'b')).not.toBe(names.accountId('i', 'a'))
    expect(names.accountId('j', 'a')).not.toBe(names.accountId('i', 'a'))
    expect(fresh.rows('SELECT count(*) FROM accounts')).toEqual([[3]])
  })

  it.each([
    { stored: 'old', given: 'new', title: 'old' },
    { stored: 'ana', given: 'bea', title: 'bea' },
    { stored: 'ana', given: '', title: 'ana' },
    { stored: '', given: 'ana', title: 'ana' },
  ])('title an account $title, of $stored and $given', ({ stored, given, title }) => {
    createNames(fresh.db).accountId('i', 'a', stored)
    createNames(fresh.db).accountId('i', 'a', given)

    expect(fresh.rows('SELECT title FROM accounts')).toEqual([[title]])
  })
})
