import { inTransaction } from '@svc/sqlite'
import { expect, it } from 'vitest'
import { freshDatabase } from '../testing/fresh-database.ts'
import { changeAt, pointAt } from '../testing/pool-course.ts'
import { NOW } from '../testing/stored-usage.ts'
import { createDictionaries } from './dictionary.ts'
import { createQuotaStore } from './quota-store.ts'

it('stores the rest where a trigger drops every change', () => {
  const { db, remove } = freshDatabase()
  db.exec('CREATE TRIGGER thief BEFORE INSERT ON recent_changes BEGIN SELECT RAISE(IGNORE); END')
  const quota = createQuotaStore(db, createDictionaries(db, 'instance'), (work) =>
    inTransaction(db, work),
  )
  quota.record({ points: [pointAt(NOW, 1)], readings: [], changes: [changeAt(NOW)] })

  expect(quota.changes(5)).toEqual([])
  expect(quota.points(NOW)).toEqual([pointAt(NOW, 1)])
  remove()
})
