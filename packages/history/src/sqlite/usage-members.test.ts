import type { UsageGroup } from '@svc/core/usage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { createDictionaries } from './dictionary.ts'
import { createMeta } from './meta.ts'
import { createMemberNames, type NameMembers } from './usage-reader.ts'

let fresh: FreshDatabase
let nameMembers: NameMembers
const ids = { ann: 0, bob: 0, gpt: 0, key1: 0, key2: 0 }
beforeEach(() => {
  fresh = freshDatabase()
  const { transaction, accounts, models, apiNames } = createDictionaries(fresh.db, 'instance')
  transaction(() => {
    ids.ann = accounts.idOf('key-of-ann')
    ids.bob = accounts.idOf('key-of-bob')
    ids.gpt = models.idOf('gpt')
    ids.key1 = apiNames.idOf('sk-1')
    ids.key2 = apiNames.idOf('sk-2')
  })
  fresh.db.exec("UPDATE accounts SET title = 'Ann' WHERE key = 'key-of-ann'")
  const meta = createMeta(fresh.db)
  meta.set({ fingerprint_key: '00ff' })
  nameMembers = createMemberNames(fresh.db, meta)
})
afterEach(() => fresh.remove())

const named = (group: UsageGroup, labels: Readonly<Record<string, string>> = {}) =>
  nameMembers(group, new Map(Object.entries(labels)))

describe('the members', () => {
  it('of the total are one', () => {
    expect([...named('total')]).toEqual([[0, { id: 'total', label: 'Total' }]])
  })

  it('that are accounts are called by their title, or by their key until they have one', () => {
    expect(named('account')).toEqual(
      new Map([
        [ids.ann, { id: 'key-of-ann', label: 'Ann' }],
        [ids.bob, { id: 'key-of-bob', label: 'key-of-bob' }],
      ]),
    )
  })

  it('that are models are called by their name', () => {
    expect(named('model')).toEqual(new Map([[ids.gpt, { id: 'gpt', label: 'gpt' }]]))
  })

  it('that are clients never show the key they use', () => {
    const members = [...named('client').values()]

    expect(new Set(members.map(({ id }) => id)).size).toBe(2)
    expect(JSON.stringify(members)).not.toContain('sk-')
  })

  it('that share a label are one client', () => {
    const team = { id: 'team', label: 'team' }

    expect(named('client', { 'sk-1': 'team', 'sk-2': 'team' })).toEqual(
      new Map([
        [ids.key1, team],
        [ids.key2, team],
      ]),
    )
    expect(named('client', { 'sk-1': 'team' }).get(ids.key2)?.id).toMatch(/^client-/)
  })

  it('are named anew each time, as titles change', () => {
    named('account')
    fresh.db.exec("UPDATE accounts SET title = 'Bob' WHERE key = 'key-of-bob'")

    expect(named('account').get(ids.bob)?.label).toBe('Bob')
  })
})
