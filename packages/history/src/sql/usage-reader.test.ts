import { epochMs, mainWindows, plusMs } from '@svc/core'
import {
  HEALTH_HISTORY_DAYS,
  healthHistoryOf,
  healthSpanOf,
  quarterSharesOf,
} from '@svc/core/health'
import type { CapacityPoint, RecentChange } from '@svc/core/pool'
import { NOW } from '@svc/core/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import { CHANGES_MAX } from '../pool/quota-rows.ts'
import { emptyStores } from '../testing/empty-stores.ts'
import { changeAt } from '../testing/pool-course.ts'

const MINUTE_MS = 60_000
const SILENT_MS = 30 * MINUTE_MS

const stores = emptyStores()
afterAll(stores.remove)

/** Points of two days, every seven minutes, with every kind of share. */
const points: readonly CapacityPoint[] = Array.from({ length: 400 }, (_, index) => index).flatMap(
  (index) =>
    mainWindows.map(({ id }, window) => ({
      provider: 'codex',
      windowId: id,
      at: plusMs(NOW, -index * 7 * MINUTE_MS),
      knownUnits: ((index * (window + 3)) % 11) * 0.7,
      trackedUnits: index % 97 === 0 ? 0 : 10,
      unknownUnits: index % 5 === 0 ? 3 : 1,
      burnedUnits: 0,
    })),
)

describe.each(stores.engines)('the history of health in $engine', ({ whyNot, create }) => {
  beforeEach((context) => {
    if (whyNot !== null) context.skip(whyNot)
  })

  const historyOf = async (record: {
    readonly points: readonly CapacityPoint[]
    readonly changes: readonly RecentChange[]
  }) => {
    const { location } = await create()
    const store = await openHistory(location)
    await store.quota.record({ ...record, readings: [] })
    await store.close()
    const reader = await openUsage({ location, retentionDays: 90 })
    try {
      return await reader.health({ now: NOW, silentMsMax: SILENT_MS, provider: 'codex' })
    } finally {
      await reader.close()
    }
  }

  it('is what core makes of the points, one by one', async () => {
    const span = healthSpanOf(NOW)
    const first = plusMs(NOW, -399 * 7 * MINUTE_MS)
    const oldestFirst = points.toReversed()
    const changes = [changeAt(NOW - 90 * MINUTE_MS)]

    const history = await historyOf({ points, changes })

    expect(history).toEqual(
      healthHistoryOf(
        {
          windows: mainWindows.map(({ id }) =>
            quarterSharesOf(oldestFirst.filter(({ windowId }) => windowId === id)),
          ),
          unwatched: [{ from: span.from, to: first }],
          changes,
          changesSince: null,
        },
        span,
      ),
    )
    expect(new Set(history.stretches.map(({ state }) => state))).toEqual(
      new Set(['unknown', 'good', 'low', 'dry', 'away']),
    )
  })

  it('is unknown in an empty store', async () => {
    const { from, to } = healthSpanOf(NOW)

    expect(await historyOf({ points: [], changes: [] })).toEqual({
      stretches: [{ from, to, state: 'unknown' }],
      awaySince: null,
    })
  })

  it('knows since when no change was forgotten', async () => {
    const changesEvery = (minutes: number) =>
      Array.from({ length: CHANGES_MAX }, (_, index) =>
        changeAt(NOW - (CHANGES_MAX - index) * minutes * MINUTE_MS),
      )
    const { awaySince } = await historyOf({ points, changes: changesEvery(1) })
    expect(awaySince).toBe(epochMs(NOW - CHANGES_MAX * MINUTE_MS))

    const days = HEALTH_HISTORY_DAYS * 24 * 60
    const old = await historyOf({ points, changes: changesEvery(days / 100) })
    expect(old.awaySince).toBeNull()
  })
})
