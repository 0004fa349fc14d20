import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { createMeta, giveIdentity } from './meta.ts'

describe('what a store knows of itself', () => {
  let fresh: FreshDatabase

  beforeEach(() => {
    fresh = freshDatabase()
  })
  afterEach(() => fresh.remove())

  it('is null, or no record, before anything is set', () => {
    const meta = createMeta(fresh.db)

    expect([meta.text('instance'), meta.instant('cut_ms'), meta.count('seen')]).toEqual([
      null,
      null,
      0,
    ])
    expect(new Set(Object.values(meta.counters()))).toEqual(new Set([0]))
  })

  it('is replaced by what is set later, and gone when it is cleared', () => {
    const meta = createMeta(fresh.db)
    meta.set('cut_ms', 5)
    meta.set('cut_ms', 7)
    expect(createMeta(fresh.db).instant('cut_ms')).toBe(7)

    meta.clear('cut_ms')
    expect(meta.instant('cut_ms')).toBeNull()
  })

  it.each([
    { stored: 'yesterday', at: null },
    { stored: '1.5', at: null },
    { stored: '9007199254740992', at: null },
    { stored: '9007199254740991', at: 9007199254740991 },
    { stored: '-1', at: -1 },
  ])('reads the time $stored as $at', ({ stored, at }) => {
    const meta = createMeta(fresh.db)
    meta.set('cut_ms', stored)

    expect(meta.instant('cut_ms')).toBe(at)
  })

  it('adds to the counters that were given, and writes none for nothing', () => {
    const meta = createMeta(fresh.db)
    meta.add({ seen: 3, stored: 2, duplicate: 0 })
    meta.add({ seen: 1 })

    expect(meta.counters()).toMatchObject({ seen: 4, stored: 2, duplicate: 0, missing: 0 })
    expect(fresh.rows('SELECT name FROM meta ORDER BY name')).toEqual([['seen'], ['stored']])
  })

  it('has an identity that is given once, and differs from that of another store', () => {
    const meta = createMeta(fresh.db)
    const other = freshDatabase()
    const identityOf = (store: typeof meta) => [
      store.text('instance'),
      store.text('fingerprint_key'),
    ]
    try {
      giveIdentity(meta)
      const first = identityOf(meta)
      giveIdentity(meta)
      giveIdentity(createMeta(other.db))

      expect(identityOf(meta)).toEqual(first)
      expect(first[0]).toMatch(/^[0-9a-f]{16}$/)
      expect(first[1]).toMatch(/^[0-9a-f]{64}$/)
      expect(identityOf(createMeta(other.db))).not.toEqual(first)
    } finally {
      other.remove()
    }
  })
})
