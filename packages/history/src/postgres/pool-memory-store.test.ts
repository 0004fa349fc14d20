import { textOfAccount } from '@svc/core/pool'
import { anAccount } from '@svc/core/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { createPoolMemoryStore } from './pool-memory-store.ts'

const standing = { listedAt: 5_000, source: 'live', gatewayUp: true } as const
const textOf = (name: string) => textOfAccount({ account: anAccount(name), evidence: null })

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

describe('how the pool was last seen, in PostgreSQL', () => {
  const titles = async () =>
    (await createPoolMemoryStore(fresh.session).read())?.accounts.map(
      ({ account }) => account.title,
    )

  it('is null before it was kept', async () => {
    expect(await createPoolMemoryStore(fresh.session).read()).toBeNull()
  })

  it('is the newest standing, with the accounts that have not gone', async () => {
    const memory = createPoolMemoryStore(fresh.session)
    await memory.update({
      ...standing,
      texts: [
        ['a', textOf('ana')],
        ['b', textOf('bea')],
      ],
    })
    await memory.update({
      ...standing,
      listedAt: 6_000,
      source: 'stale',
      gatewayUp: null,
      texts: [['a', null]],
    })

    expect(await memory.read()).toMatchObject({ listedAt: 6_000, source: 'stale', gatewayUp: null })
    expect(await titles()).toEqual(['bea@example.com'])
  })

  it('takes no other row of the store for an account', async () => {
    await createPoolMemoryStore(fresh.session).update({
      ...standing,
      texts: [['a', textOf('ana')]],
    })
    await fresh.session.run(
      `INSERT INTO svc_quota_monitor.meta (name, value)
       SELECT name, $1 FROM unnest(ARRAY['account!', 'accounts', 'accoun', 'Account a']) AS others (name)`,
      [textOf('not me')],
    )

    expect(await titles()).toEqual(['ana@example.com'])
  })

  it('is kept although a file has a name that no database stores', async () => {
    const memory = createPoolMemoryStore(fresh.session)
    await memory.update({
      ...standing,
      texts: [
        ['a\0b', textOf('nul')],
        ["it's 𝟙", textOf('ana')],
      ],
    })

    expect(await titles()).toEqual(['ana@example.com'])
  })
})
