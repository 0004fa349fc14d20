import { epochMs } from '@svc/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { changeAt, pointAt, readingAt } from '../testing/pool-course.ts'
import { createDictionaries } from './dictionary.ts'
import { createQuotaStore, type QuotaTables } from './quota-store.ts'

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
