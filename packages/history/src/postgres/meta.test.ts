import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { createMeta, giveIdentity } from './meta.ts'

const schemas = freshSchemas()
let fresh: FreshSchema
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
})
afterAll(() => schemas.remove())

describe('what a store knows of itself', () => {
  it('is null, or no record, before anything is set', async () => {
    const values = await createMeta(fresh.session).read()

    expect([values.text('instance'), values.instant('cut_ms'), values.count('seen')]).toEqual([
      null,
      null,
      0,
    ])
    expect(new Set(Object.values(values.counters()))).toEqual(new Set([0]))
  })

  it('is replaced by what is set later, and gone when it is cleared', async () => {
    const meta = createMeta(fresh.session)
    await meta.set({ cut_ms: 5, last_write_ms: 1 })
    await meta.set({ cut_ms: 7 })
    expect((await createMeta(fresh.session).read()).instant('cut_ms')).toBe(7)

    await meta.clear('cut_ms')
    expect((await meta.read()).instant('cut_ms')).toBeNull()
    expect((await meta.read()).instant('last_write_ms')).toBe(1)
  })

  it('can be set unless it is already', async () => {
    const meta = createMeta(fresh.session)

    expect(await meta.setFirst({ first_poll_ms: 5 })).toBe(true)
    expect(await meta.setFirst({ first_poll_ms: 9 })).toBe(false)
    expect((await meta.read()).instant('first_poll_ms')).toBe(5)
  })

  it('adds to the counters that were given, and writes none for nothing', async () => {
    const meta = createMeta(fresh.session)
    await meta.add({ seen: 3, stored: 2, duplicate: 0 })
    await meta.add({ seen: 1 })
    await meta.add({})

    expect((await meta.read()).counters()).toMatchObject({ seen: 4, stored: 2, duplicate: 0 })
    expect(
      await fresh.rows(
        "SELECT name FROM svc_quota_monitor.meta WHERE name <> 'schema_version' ORDER BY name",
      ),
    ).toEqual([['seen'], ['stored']])
  })

  it('has an identity that is given once', async () => {
    const meta = createMeta(fresh.session)
    const identity = async () => {
      const values = await meta.read()
      return [values.text('instance'), values.text('fingerprint_key')]
    }
    expect(await giveIdentity(meta)).toBe(true)
    const first = await identity()

    expect(await giveIdentity(meta)).toBe(false)
    expect(await identity()).toEqual(first)
    expect(first[0]).toMatch(/^[0-9a-f]{16}$/)
    expect(first[1]).toMatch(/^[0-9a-f]{64}$/)
  })
})
