import { epochMs, plusMs } from '@svc/core'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFence } from './postgres/fence.ts'
import { createPostgresQuotaStore, type QuotaTables } from './postgres/quota-store.ts'
import { createDictionaries } from './sqlite/dictionary.ts'
import { createQuotaStore } from './sqlite/quota-store.ts'
import { freshDatabase } from './testing/fresh-database.ts'
import { freshSchemas } from './testing/fresh-schemas.ts'
import { changeAt, pointAt, readingAt } from './testing/pool-course.ts'
import { whyNoPostgres } from './testing/postgres-programs.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const HOUR_MS = 3_600_000
const NOTHING = { points: [], readings: [], changes: [] }

type AtOnceOrLater<Of> = {
  readonly [Name in keyof Of]: Of[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (...args: Args) => Answer | Promise<Answer>
    : never
}

/** The course of the pool in an empty store of one engine. */
interface TestedStore {
  readonly quota: AtOnceOrLater<QuotaTables>
  /** What stands before the name of a table. */
  readonly schema: string
  run(sql: string): unknown
  /** Every row a statement gives, as lists. */
  rows(sql: string): unknown
  remove(): void
}

function inSqlite(): TestedStore {
  const { db, rows, remove } = freshDatabase()
  const quota = createQuotaStore(db, createDictionaries(db, 'instance'))
  return { quota, schema: '', run: (sql) => db.exec(sql), rows, remove }
}

const schemas = freshSchemas()
afterAll(() => schemas.remove())

async function inPostgres(): Promise<TestedStore> {
  const { session, rows } = await schemas.next()
  const schema = 'svc_quota_monitor.'
  await session.run(
    `INSERT INTO ${schema}accounts (id, instance, key, title) VALUES (1, '', 'ana', ''), (2, '', 'bob', '')`,
  )
  const ids = new Map([
    ['ana', 1],
    ['bob', 2],
  ])
  const quota = createPostgresQuotaStore(
    session,
    { accounts: { idsOf: async () => ids } },
    createFence(session, null),
  )
  return { quota, schema, run: (sql) => session.run(sql), rows, remove: () => undefined }
}

describe.each([
  { engine: 'SQLite', whyNot: null, create: inSqlite },
  { engine: 'PostgreSQL', whyNot: whyNoPostgres(), create: inPostgres },
])('the course of the pool in $engine', ({ whyNot, create }) => {
  let store: TestedStore
  let quota: TestedStore['quota']
  beforeEach(async (context) => {
    if (whyNot !== null) context.skip(whyNot)
    store = await create()
    quota = store.quota
  })
  afterEach(() => store?.remove())

  it('gives points back oldest first, and keeps the first of two at one time', async () => {
    await quota.record({ ...NOTHING, points: [pointAt(NOW, 2), pointAt(NOW - HOUR_MS, 1)] })
    await quota.record({ ...NOTHING, points: [pointAt(NOW, 9)] })

    expect(await quota.points(plusMs(NOW, -HOUR_MS))).toEqual([
      pointAt(NOW - HOUR_MS, 1),
      pointAt(NOW, 2),
    ])
    expect(await quota.points(plusMs(NOW, -HOUR_MS + 1))).toEqual([pointAt(NOW, 2)])
  })

  it('adds up what was used of each window by the hour, from its first point on', async () => {
    const points = [
      pointAt(NOW - 1, 4),
      pointAt(NOW, 1),
      pointAt(NOW + HOUR_MS - 1, 2),
      pointAt(NOW + 5, 8, 'week'),
    ]
    await quota.record({ ...NOTHING, points })
    const hour = NOW / HOUR_MS

    expect(await quota.burnHours(NOW)).toEqual({
      '5h': { unitsByHour: new Map([[hour, 3]]), firstAt: NOW },
      week: { unitsByHour: new Map([[hour, 8]]), firstAt: NOW + 5 },
    })
    expect((await quota.burnHours(plusMs(NOW, HOUR_MS)))['5h']).toEqual({
      unitsByHour: new Map(),
      firstAt: null,
    })
  })

  it('knows the newest reading of every account and window', async () => {
    const week = { ...readingAt(NOW - 7, 'ana', 20), windowId: 'week', resetAt: NOW } as const
    const readings = [
      readingAt(NOW, 'ana', 40),
      readingAt(NOW - 5, 'ana', 60),
      readingAt(NOW - 9, 'bob', 10),
      week,
    ]
    await quota.record({ ...NOTHING, readings })

    expect(await quota.latestReadings()).toEqual([
      readingAt(NOW, 'ana', 40),
      week,
      readingAt(NOW - 9, 'bob', 10),
    ])
  })

  it('keeps the newest 500 changes, newest first', async () => {
    await quota.record({ ...NOTHING, changes: [changeAt(NOW + 1_000), changeAt(NOW)] })
    await quota.record({
      ...NOTHING,
      changes: Array.from({ length: 499 }, (_, index) => changeAt(NOW + 1 + index)),
    })

    const kept = await quota.changes(1_000)
    expect(kept).toHaveLength(500)
    expect(kept[0]).toEqual(changeAt(NOW + 1_000))
    expect(kept.at(-1)).toEqual(changeAt(NOW + 1))
  })

  it('passes over windows and changes that this version does not know', async () => {
    await quota.record({
      points: [pointAt(NOW, 1)],
      readings: [readingAt(NOW, 'ana', 40)],
      changes: [changeAt(NOW)],
    })
    await store.run(`UPDATE ${store.schema}capacity_points SET window_id = 'day'`)
    await store.run(`UPDATE ${store.schema}quota_samples SET window_id = 'day'`)
    await store.run(`UPDATE ${store.schema}recent_changes SET detail = '{"code":"made_up"}'`)

    expect(await quota.points(NOW)).toEqual([])
    expect(await quota.latestReadings()).toEqual([])
    expect(await quota.changes(9)).toEqual([])
  })

  it('forgets a few rows at a time, up to the cut and no further', async () => {
    const readings = [1, 2, 3].map((age) => readingAt(NOW - age, 'ana', age))
    await quota.record({ ...NOTHING, readings: [...readings, readingAt(NOW, 'ana', 40)] })

    expect(await quota.prune(NOW, 2)).toBe(true)
    expect(await quota.prune(NOW, 2)).toBe(true)
    expect(await quota.prune(NOW, 2)).toBe(false)
    expect(await store.rows(`SELECT percent FROM ${store.schema}quota_samples`)).toEqual([[40]])
  })
})
