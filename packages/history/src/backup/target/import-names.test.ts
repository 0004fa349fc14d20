import { epochMs } from '@svc/core'
import { sql } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EmptyStore, emptyStores } from '../../testing/empty-stores.ts'
import { namedRow } from '../format/backup-format.ts'
import type { BackupLine } from '../format/backup-reader.ts'
import { createNames } from './import-names.ts'
import { createImportTarget } from './import-target.ts'

const NO_META = { cut: null, firstPoll: null, identity: new Map() }
const stores = emptyStores()
afterAll(stores.remove)

const account = (instance: string, key: string, title = ''): BackupLine => ({
  table: 'accounts',
  row: { instance, account: key, title },
  number: 0,
})

describe.each(stores.engines)(
  'the names of an import into $engine',
  ({ engine, whyNot, create }) => {
    let store: EmptyStore
    beforeEach(async (context) => {
      if (whyNot !== null) context.skip(whyNot)
      store = await create()
    })

    it('get the numbers that they already have, and one number however often they come', async () => {
      await store.change(
        sql`INSERT INTO ${store.tables.accounts} (id, instance, key, title) VALUES (43, 'i', 'a', 't')`,
      )
      const names = createNames(store.db)
      await names.learn([account('i', 'a'), account('i', 'b'), account('j', 'a')])
      await names.learn([account('i', 'b')])

      expect(names.accountId('i', 'a')).toBe(43)
      const numbers = [
        names.accountId('i', 'a'),
        names.accountId('i', 'b'),
        names.accountId('j', 'a'),
      ]
      expect(new Set(numbers).size).toBe(3)
      expect(
        await store.rows(sql`SELECT instance, key FROM ${store.tables.accounts} ORDER BY 1, 2`),
      ).toEqual([
        ['i', 'a'],
        ['i', 'b'],
        ['j', 'a'],
      ])
    })

    it('are those that every row holds', async () => {
      const names = createNames(store.db)
      const days = ['total', 'account', 'model', 'api', 'upstream', 'provider'] as const
      const lines = days.map((grouping) => ({
        table: 'days' as const,
        row: namedRow('days', [grouping, 0, 'i', `a-${grouping}`, ...Array(11).fill(0)]),
        number: 0,
      }))
      await names.learn(lines)

      expect(lines.map(({ row }) => names.memberId(row))).toEqual([
        0,
        1,
        1,
        1,
        // A new file knows a proxy.
        engine === 'sqlite' ? 2 : 1,
        1,
      ])
      expect(await store.rows(sql`SELECT name FROM ${store.tables.providers}`)).toEqual([
        ['a-provider'],
      ])
    })

    it('keep the later of two titles, in whatever order they come', async () => {
      for (const titles of [
        ['Zoe', 'ann', ''],
        ['ann', '', 'Zoe'],
      ]) {
        const target = await createImportTarget(store.engine, {
          meta: NO_META,
          certainAt: epochMs(0),
        })
        for (const title of titles) await target.add([account('i', titles.join(), title)])
      }
      // As bytes: capitals come before the rest.
      expect(await store.rows(sql`SELECT DISTINCT title FROM ${store.tables.accounts}`)).toEqual([
        ['ann'],
      ])
    })
  },
)
