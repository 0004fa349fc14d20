import { epochMs } from '@svc/core'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { changeAt, pointAt, readingAt } from '../testing/pool-course.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { createFence } from './fence.ts'
import { createPostgresQuotaStore, type QuotaTables } from './quota-store.ts'
import { openSession } from './session.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const NOTHING = { points: [], readings: [], changes: [] }

const schemas = freshSchemas()
let fresh: FreshSchema
let quota: QuotaTables
beforeEach(async (context) => {
  const why = whyNoPostgres()
  if (why !== null) context.skip(why)
  fresh = await schemas.next()
  await fresh.session.run(
    "INSERT INTO svc_quota_monitor.accounts (id, instance, key, title) VALUES (1, '', 'ana', ''), (2, '', 'bob', '')",
  )
  quota = createPostgresQuotaStore(
    fresh.session,
    { accounts: { idsOf: async () => IDS } },
    createFence(fresh.session, null),
  )
})
afterAll(() => schemas.remove())

const IDS = new Map([
  ['ana', 1],
  ['bob', 2],
])
describe('the course of the pool in PostgreSQL', () => {
  it('loses no change of two monitors that store some at the same time', async () => {
    const other = await openSession(connectionOf(fresh.address, null))
    try {
      const stores = [
        quota,
        createPostgresQuotaStore(
          other,
          { accounts: { idsOf: async () => IDS } },
          createFence(other, null),
        ),
      ]
      const rounds = Array.from({ length: 30 }, (_, round) => round)
      await Promise.all(
        rounds.flatMap((round) =>
          stores.map((store, index) =>
            store.record({
              ...NOTHING,
              points: [pointAt(NOW + round, 1), pointAt(NOW + round + 1, 1)],
              changes: [changeAt(NOW + 100 * round + index), changeAt(NOW + 100 * round + 50)],
            }),
          ),
        ),
      )
    } finally {
      await other.close()
    }

    expect(await quota.changes(1_000)).toHaveLength(4 * 30)
    expect(await fresh.rows('SELECT count(*) FROM svc_quota_monitor.capacity_points')).toEqual([
      [31],
    ])
  })

  it('forgets every point before the cut beside the readings, a few of these at a time', async () => {
    const readings = [1, 2, 3].map((age) => readingAt(NOW - age, 'ana', age))
    await quota.record({
      points: [pointAt(NOW - 1, 1), pointAt(NOW, 2)],
      readings: [...readings, readingAt(NOW, 'ana', 40)],
      changes: [],
    })

    expect(await quota.prune(NOW, 2)).toBe(true)
    expect(await quota.prune(NOW, 2)).toBe(true)
    expect(await quota.prune(NOW, 2)).toBe(false)
    expect(await fresh.rows('SELECT percent FROM svc_quota_monitor.quota_samples')).toEqual([[40]])
    expect(await quota.points(epochMs(0))).toEqual([pointAt(NOW, 2)])
  })

  it('records all of it or nothing', async () => {
    const nobody = readingAt(NOW, 'nobody', 40)
    const memory = { listedAt: 1, source: 'live', gatewayUp: null, texts: [] } as const

    await expect(
      quota.record(
        { points: [pointAt(NOW, 1)], readings: [nobody], changes: [changeAt(NOW)] },
        memory,
      ),
    ).rejects.toMatchObject({ name: 'HistoryError' })
    expect(await quota.points(NOW)).toEqual([])
    expect(await quota.remembered()).toBeNull()
  })
})
