import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../../testing/postgres-programs.ts'
import type { BackupLine } from '../format/backup-reader.ts'
import { createNames, memberIdOf } from './import-names.ts'

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

const account = (instance: string, key: string, title = ''): BackupLine => ({
  table: 'accounts',
  row: [instance, key, title],
  number: 0,
})

describe('the names of an import', () => {
  it('get the numbers that they already have, and one number however often they come', async () => {
    await fresh.session.run(
      `INSERT INTO svc_quota_monitor.accounts (id, instance, key, title) VALUES (43, 'i', 'a', 't')`,
    )
    const names = createNames(fresh.session)
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
      await fresh.rows('SELECT instance, key FROM svc_quota_monitor.accounts ORDER BY 1, 2'),
    ).toEqual([
      ['i', 'a'],
      ['i', 'b'],
      ['j', 'a'],
    ])
  })

  it('are those that every row holds', async () => {
    const names = createNames(fresh.session)
    const days = ['total', 'account', 'model', 'api', 'upstream', 'provider'] as const
    const rows = days.map(
      (grouping) => [grouping, 0, 'i', `a-${grouping}`, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0] as const,
    )
    await names.learn(rows.map((row) => ({ table: 'days', row: [...row], number: 0 })))

    expect(rows.map((row) => memberIdOf(names, [...row]))).toEqual([0, 1, 1, 1, 1, 1])
    expect(await fresh.rows('SELECT name FROM svc_quota_monitor.providers')).toEqual([
      ['a-provider'],
    ])
  })

  it('keep the later of two titles, in whatever order they come', async () => {
    for (const titles of [
      ['Zoe', 'ann', ''],
      ['ann', '', 'Zoe'],
    ]) {
      const names = createNames(fresh.session)
      for (const title of titles) {
        const line = account('i', titles.join(), title)
        await names.learn([line])
        await fresh.session.transaction('write', () =>
          names.raiseTitles([['i', titles.join(), title]]),
        )
      }
    }
    // As bytes: capitals come before the rest.
    expect(await fresh.rows('SELECT DISTINCT title FROM svc_quota_monitor.accounts')).toEqual([
      ['ann'],
    ])
  })
})
