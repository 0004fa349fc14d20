import { epochMs, plusMs } from '@svc/core'
import type { CapacityPoint, RecentChange, WindowReadingRecord } from '@svc/core/service'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../testing/fresh-database.ts'
import { createDictionaries } from './dictionary.ts'
import { createQuotaStore, type QuotaTables } from './quota-store.ts'

const NOW = epochMs(Date.UTC(2026, 10, 20, 12))
const HOUR_MS = 3_600_000
const NOTHING = { points: [], readings: [], changes: [] }

let database: FreshDatabase
let quota: QuotaTables
beforeEach(() => {
  database = freshDatabase()
  quota = createQuotaStore(database.db, createDictionaries(database.db, 'instance'))
})
afterEach(() => database.remove())

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

it('gives points back oldest first, and keeps the first of two at one time', () => {
  quota.record({ ...NOTHING, points: [pointAt(NOW, 2), pointAt(NOW - HOUR_MS, 1)] })
  quota.record({ ...NOTHING, points: [pointAt(NOW, 9)] })

  expect(quota.points(plusMs(NOW, -HOUR_MS))).toEqual([pointAt(NOW - HOUR_MS, 1), pointAt(NOW, 2)])
  expect(quota.points(plusMs(NOW, -HOUR_MS + 1))).toEqual([pointAt(NOW, 2)])
})

it('adds up what was used of each window by the hour, from its first point on', () => {
  const points = [
    pointAt(NOW - 1, 4),
    pointAt(NOW, 1),
    pointAt(NOW + HOUR_MS - 1, 2),
    pointAt(NOW + 5, 8, 'week'),
  ]
  quota.record({ ...NOTHING, points })
  const hour = NOW / HOUR_MS

  const hours = quota.burnHours(plusMs(NOW, 0))
  expect(hours['5h']).toEqual({ unitsByHour: new Map([[hour, 3]]), firstAt: NOW })
  expect(hours.week).toEqual({ unitsByHour: new Map([[hour, 8]]), firstAt: NOW + 5 })
  expect(quota.burnHours(plusMs(NOW, HOUR_MS))['5h']).toEqual({
    unitsByHour: new Map(),
    firstAt: null,
  })
})

it('knows the newest reading of every account', () => {
  const readings = [
    readingAt(NOW, 'ana', 40),
    readingAt(NOW - 5, 'ana', 60),
    readingAt(NOW - 9, 'bob', 10),
  ]
  quota.record({ ...NOTHING, readings })

  expect(quota.latestReadings()).toEqual([readingAt(NOW, 'ana', 40), readingAt(NOW - 9, 'bob', 10)])
})

it('keeps the newest 500 changes, newest first', () => {
  quota.record({ ...NOTHING, changes: [changeAt(NOW + 1_000), changeAt(NOW)] })
  quota.record({
    ...NOTHING,
    changes: Array.from({ length: 499 }, (_, index) => changeAt(NOW + 1 + index)),
  })

  const kept = quota.changes(1_000)
  expect(kept).toHaveLength(500)
  expect(kept[0]).toEqual(changeAt(NOW + 1_000))
  expect(kept.at(-1)).toEqual(changeAt(NOW + 1))
})

it('passes over windows and changes that this version does not know', () => {
  quota.record({
    points: [pointAt(NOW, 1)],
    readings: [readingAt(NOW, 'ana', 40)],
    changes: [changeAt(NOW)],
  })
  database.db.exec("UPDATE capacity_points SET window_id = 'day'")
  database.db.exec("UPDATE quota_samples SET window_id = 'day'")
  database.db.exec(`UPDATE recent_changes SET detail = '{"code":"made_up"}'`)

  expect(quota.points(NOW)).toEqual([])
  expect(quota.latestReadings()).toEqual([])
  expect(quota.changes(9)).toEqual([])
})

it('forgets a few rows at a time, up to the cut and no further', () => {
  const readings = [1, 2, 3].map((age) => readingAt(NOW - age, 'ana', age))
  quota.record({ ...NOTHING, readings: [...readings, readingAt(NOW, 'ana', 40)] })

  expect([quota.prune(NOW, 2), quota.prune(NOW, 2), quota.prune(NOW, 2)]).toEqual([
    true,
    true,
    false,
  ])
  expect(database.rows('SELECT percent FROM quota_samples')).toEqual([[40]])
})

it('records all of it or nothing', () => {
  const broken = { ...readingAt(NOW, 'ana', 40), percent: Symbol('no number') as never }

  expect(() =>
    quota.record({ points: [pointAt(NOW, 1)], readings: [broken], changes: [changeAt(NOW)] }),
  ).toThrow()
  expect(quota.points(NOW)).toEqual([])
  expect(database.rows('SELECT * FROM accounts')).toEqual([])
})
