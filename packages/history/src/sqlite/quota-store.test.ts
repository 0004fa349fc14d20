import { expect, it } from 'vitest'
import { always } from '../sql/connection.ts'
import { createDictionaries } from '../sql/dictionary.ts'
import { createQuotaStore } from '../sql/quota-store.ts'
import { freshDatabase } from '../testing/fresh-database.ts'
import { changeAt, pointAt } from '../testing/pool-course.ts'
import { NOW } from '../testing/stored-usage.ts'
import { connectionTo } from './connection.ts'

it('stores the rest where a trigger drops every change', async () => {
  const { db, remove } = freshDatabase()
  db.exec('CREATE TRIGGER thief BEFORE INSERT ON recent_changes BEGIN SELECT RAISE(IGNORE); END')
  const connection = connectionTo(db)
  const quota = createQuotaStore({
    db: connection,
    names: createDictionaries(connection, 'instance'),
    fence: { demand: async () => undefined, condition: always },
  })
  await quota.record({ points: [pointAt(NOW, 1)], readings: [], changes: [changeAt(NOW)] })

  expect(await quota.changes(5)).toEqual([])
  expect(await quota.points(NOW)).toEqual([pointAt(NOW, 1)])
  remove()
})
