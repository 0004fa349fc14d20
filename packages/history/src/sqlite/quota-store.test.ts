import { epochMs } from '@svc/core'
import { textOfAccount } from '@svc/core/pool'
import { anAccount } from '@svc/core/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { changeAt, pointAt, readingAt } from '../testing/pool-course.ts'
import { createDictionaries } from './dictionary.ts'
import { createPoolMemoryStore, createQuotaStore, type QuotaTables } from './quota-store.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))

let database: FreshDatabase
let quota: QuotaTables
beforeEach(() => {
  database = freshDatabase()
  quota = createQuotaStore(database.db, createDictionaries(database.db, 'instance'))
})
afterEach(() => database.remove())

it('records all of it or nothing', () => {
  const broken = { ...readingAt(NOW, 'ana', 40), percent: Symbol('no number') as never }

  expect(() =>
    quota.record({ points: [pointAt(NOW, 1)], readings: [broken], changes: [changeAt(NOW)] }),
  ).toThrow()
  expect(quota.points(NOW)).toEqual([])
  expect(database.rows('SELECT * FROM accounts')).toEqual([])
})

const standing = { listedAt: 5_000, source: 'live', gatewayUp: true } as const
const textOf = (name: string) => textOfAccount({ account: anAccount(name), evidence: null })

describe('how the pool was last seen', () => {
  let fresh: FreshDatabase

  beforeEach(() => {
    fresh = freshDatabase()
  })
  afterEach(() => fresh.remove())

  const titles = () =>
    createPoolMemoryStore(fresh.db)
      .read()
      ?.accounts.map(({ account }) => account.title)

  it('is null before it was kept', () => {
    expect(createPoolMemoryStore(fresh.db).read()).toBeNull()
  })

  it('is the newest standing, with the accounts that have not gone', () => {
    const memory = createPoolMemoryStore(fresh.db)
    memory.update({
      ...standing,
      texts: [
        ['a', textOf('ana')],
        ['b', textOf('bea')],
      ],
    })
    memory.update({
      ...standing,
      listedAt: 6_000,
      source: 'stale',
      gatewayUp: null,
      texts: [['a', null]],
    })

    expect(createPoolMemoryStore(fresh.db).read()).toMatchObject({
      listedAt: 6_000,
      source: 'stale',
      gatewayUp: null,
    })
    expect(titles()).toEqual(['bea@example.com'])
  })

  it('leaves out an account that this version cannot read', () => {
    createPoolMemoryStore(fresh.db).update({
      ...standing,
      texts: [
        ['a', '{"account":{}}'],
        ['b', 'no JSON'],
        ['c', textOf('cleo')],
      ],
    })

    expect(titles()).toEqual(['cleo@example.com'])
  })

  it.each(['', 'no JSON', '{"listedAt":1.5,"source":null,"gatewayUp":null}', '{"listedAt":1}'])(
    'is null when its standing is %j',
    (stored) => {
      const memory = createPoolMemoryStore(fresh.db)
      memory.update({ ...standing, texts: [['a', textOf('ana')]] })
      fresh.db.prepare("UPDATE meta SET value = ? WHERE name = 'pool'").run(stored)

      expect(memory.read()).toBeNull()
    },
  )

  it('takes no other row of the store for an account', () => {
    createPoolMemoryStore(fresh.db).update({ ...standing, texts: [['a', textOf('ana')]] })
    for (const name of ['account!', 'accounts', 'accoun'])
      fresh.db.prepare('INSERT INTO meta (name, value) VALUES (?, ?)').run(name, textOf('not me'))

    expect(titles()).toEqual(['ana@example.com'])
  })
})
