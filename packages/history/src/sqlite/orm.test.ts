import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@svc/sqlite'
import { desc, eq, lt } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openForWriting } from './open-database.ts'
import { ormOf } from './orm.ts'
import { gaps, meta, quotaSamples } from './tables.ts'

describe('the query builder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-orm-'))
  let db: Database
  const drizzled = () => drizzle(db as unknown as Parameters<typeof drizzle>[0] & string)

  beforeAll(() => {
    db = openForWriting(join(folder, 'history.db'))
  })
  afterAll(() => {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('asks what drizzle() would ask', () => {
    const [own, theirs] = [ormOf(db), drizzled()].map((orm) => [
      orm.select().from(meta).where(eq(meta.name, 'instance')).toSQL(),
      orm.select().from(quotaSamples).orderBy(desc(quotaSamples.atMs)).limit(3).toSQL(),
      orm.delete(gaps).where(lt(gaps.toMs, 7)).toSQL(),
      orm
        .insert(meta)
        .values({ name: 'a', value: '1' })
        .onConflictDoUpdate({ target: meta.name, set: { value: '1' } })
        .toSQL(),
    ])

    expect(own).toEqual(theirs)
  })

  it('reads back what it wrote, by the names of the columns', () => {
    const row = { upstreamId: 1, fromMs: 5, toMs: 9, reason: 'restart' }
    ormOf(db).insert(gaps).values(row).run()

    expect(ormOf(db).select().from(gaps).all()).toEqual([row])
    expect(drizzled().select().from(gaps).all()).toEqual([row])
  })
})
