import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { createDictionaries } from './dictionary.ts'

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

describe('the dictionaries of a store', () => {
  it('give a name its number once, without gaps, and the next process the same one', async () => {
    const { models } = createDictionaries(fresh.session, 'one')
    const ids = await models.idsOf(['a', 'a', 'b'])

    expect(new Set(ids.values())).toEqual(new Set([1, 2]))
    const next = createDictionaries(fresh.session, 'one').models
    expect(await next.idsOf(['c', 'b', 'a'])).toEqual(new Map([...ids, ['c', 3]]))
    expect(await fresh.rows('SELECT name FROM svc_quota_monitor.models ORDER BY id')).toEqual([
      ['a'],
      ['b'],
      ['c'],
    ])
  })

  it('find what another writer has learned meanwhile', async () => {
    const [one, other] = ['one', 'one'].map((name) => createDictionaries(fresh.session, name))
    await one?.apiNames.idsOf(['x'])

    expect(await other?.apiNames.idsOf(['x', 'y'])).toEqual(
      new Map([
        ['x', 1],
        ['y', 2],
      ]),
    )
  })

  it.each(["it's", "'; DROP TABLE accounts; --", ''])(
    'hold accounts of the instance %j apart from those of another',
    async (instance) => {
      const own = await createDictionaries(fresh.session, instance).accounts.idsOf(['key'])
      const other = await createDictionaries(fresh.session, 'other').accounts.idsOf(['key'])

      expect([own.get('key'), other.get('key')]).toEqual([1, 2])
      expect(
        await fresh.rows('SELECT instance, key, title FROM svc_quota_monitor.accounts ORDER BY id'),
      ).toEqual([
        [instance, 'key', ''],
        ['other', 'key', ''],
      ])
    },
  )

  it.each([
    ['"quoted", {braced} and \\ 𝕏', '"quoted", {braced} and \\ 𝕏'],
    ['a\0b', 'a�b'],
    ['half \uD83D', 'half �'],
  ])('store %j as a database can', async (name, stored) => {
    const { models } = createDictionaries(fresh.session, 'one')

    expect(await models.idsOf([name, stored])).toEqual(
      new Map([
        [name, 1],
        [stored, 1],
      ]),
    )
    expect(await fresh.rows('SELECT name FROM svc_quota_monitor.models')).toEqual([[stored]])
  })

  it('count everything as one that comes once there is no number left', async () => {
    await fresh.session.run(
      "INSERT INTO svc_quota_monitor.providers SELECT n, 'p' || n FROM generate_series(1, 31999) n",
    )
    const { providers } = createDictionaries(fresh.session, 'one')
    const ids = await providers.idsOf(['q1', 'q2', 'p7', 'q3'])

    expect([...ids.values()].sort((one, other) => one - other)).toEqual([7, 32_000, 32_001, 32_001])
    expect(await providers.idsOf(['later'])).toEqual(new Map([['later', 32_001]]))
    expect(
      await fresh.rows('SELECT name FROM svc_quota_monitor.providers WHERE id > 32000'),
    ).toEqual([['(others)']])
  })
})
