import { epochMs, plusMs } from '@svc/core'
import type { CapacityPoint, RecentChange, WindowReadingRecord } from '@svc/core/service'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type FreshSchema, freshSchemas } from '../testing/fresh-schemas.ts'
import { whyNoPostgres } from '../testing/postgres-programs.ts'
import { connectionOf } from './address.ts'
import { createFence } from './fence.ts'
import { createPostgresQuotaStore, type QuotaTables } from './quota-store.ts'
import { openSession } from './session.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const HOUR_MS = 3_600_000
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
const pointAt = (
  at: number,
  burnedUnits: number,
  windowId: '5h' | 'week' = '5h',
): CapacityPoint => ({
  windowId,
  at: epochMs(at),
  knownUnits: 5,
  trackedUnits: 6,
  unknownUnits: 1,
  burnedUnits,
})
const readingAt = (at: number, accountKey: string, percent: number): WindowReadingRecord => ({
  accountKey,
  windowId: '5h',
  at: epochMs(at),
  percent,
  resetAt: null,
})
const changeAt = (at: number): RecentChange => ({
  at: epochMs(at),
  tone: 'good',
  detail: { code: 'gateway_changed', up: true },
})

describe('the course of the pool in PostgreSQL', () => {
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

  it('passes over windows and changes that this version does not know', async () => {
    await quota.record({
      points: [pointAt(NOW, 1)],
      readings: [readingAt(NOW, 'ana', 40)],
      changes: [changeAt(NOW)],
    })
    await fresh.session.run("UPDATE svc_quota_monitor.capacity_points SET window_id = 'day'")
    await fresh.session.run("UPDATE svc_quota_monitor.quota_samples SET window_id = 'day'")
    await fresh.session.run(
      `UPDATE svc_quota_monitor.recent_changes SET detail = '{"code":"made_up"}'`,
    )

    expect(await quota.points(NOW)).toEqual([])
    expect(await quota.latestReadings()).toEqual([])
    expect(await quota.changes(9)).toEqual([])
  })

  it('forgets a few rows at a time, up to the cut and no further', async () => {
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
