import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, mainWindows, plusMs } from '@svc/core'
import { courseSpanOf } from '@svc/core/account'
import {
  type AccountReadings,
  type CapacityPoint,
  CYCLES_RANGE,
  poolCyclesOf,
  type WindowReadingRecord,
} from '@svc/core/pool'
import { NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import { emptyStores } from '../testing/empty-stores.ts'

const SILENT_MS_MAX = 30 * MINUTE_MS
const SPAN = courseSpanOf(CYCLES_RANGE, NOW)
const KEYS = ['0011223344556677', '8899aabbccddeeff', 'ffeeddccbbaa9988']
const WEIGHTS = new Map(KEYS.map((key, index) => [key, 1 + 4 * index]))

const stores = emptyStores()
afterAll(stores.remove)

/** The pool was watched all the time, with a sign of life every quarter of an hour. */
const watched: readonly CapacityPoint[] = Array.from({ length: 31 * 96 + 1 }, (_, quarter) => ({
  provider: 'codex',
  windowId: '5h',
  at: plusMs(NOW, -quarter * 15 * MINUTE_MS),
  knownUnits: 1,
  trackedUnits: 1,
  unknownUnits: 0,
  burnedUnits: 0,
}))

interface Use {
  /** Hours before the window begins, in which its reset moves on. */
  readonly idle: number
  readonly drops: readonly number[]
  readonly isSeen: boolean
}

/** Readings as a service records them: of a window before it begins, of each use, and of what follows its reset. */
function recorded(record: Pick<AccountReadings, 'accountKey' | 'windowId'>, uses: readonly Use[]) {
  const lengthMs = (mainWindows.find(({ id }) => id === record.windowId)?.seconds ?? 0) * 1000
  const readings: WindowReadingRecord[] = []
  const read = (at: EpochMs, percent: number, resetAt: EpochMs | null, sampledAt = at) => {
    if (at <= NOW) readings.push({ ...record, at, percent, resetAt, sampledAt })
  }
  let start = plusMs(SPAN.from, -2 * DAY_MS)
  for (const { idle, drops, isSeen } of uses) {
    for (let hour = 0; hour < idle; hour += 1)
      read(plusMs(start, hour * HOUR_MS), 100, plusMs(start, hour * HOUR_MS + lengthMs))
    start = plusMs(start, idle * HOUR_MS + 7 * MINUTE_MS)
    const end = plusMs(start, lengthMs)
    let left = 100
    for (const [index, drop] of drops.entries()) {
      left = Math.max(0, left - drop)
      read(plusMs(start, ((index + 1) * lengthMs) / (drops.length + 2)), left, end)
    }
    read(plusMs(end, 30_000), 100, null, plusMs(end, isSeen ? -60_000 : -lengthMs / 2))
    start = plusMs(end, MINUTE_MS)
  }
  return readings
}

describe.each(stores.engines)('how full windows were in $engine', ({ whyNot, create }) => {
  beforeEach((context) => {
    if (whyNot !== null) context.skip(whyNot)
  })

  const storedCycles = async (
    readings: readonly WindowReadingRecord[],
    points: readonly CapacityPoint[],
    span = SPAN,
  ) => {
    const { location } = await create()
    const store = await openHistory(location)
    await store.quota.record({ points, readings, changes: [] })
    await store.close()
    const reader = await openUsage({ location, retentionDays: 90 })
    try {
      return await reader.cycles(WEIGHTS, span, SILENT_MS_MAX)
    } finally {
      await reader.close()
    }
  }

  it('follows from a few of the readings as from all of them', async () => {
    const uses = fc.array(
      fc.record({
        idle: fc.integer({ min: 0, max: 30 }),
        drops: fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 8 }),
        isSeen: fc.boolean(),
      }),
      { minLength: 1, maxLength: 40 },
    )
    const spans = fc
      .record({ days: fc.integer({ min: 1, max: 20 }), ago: fc.integer({ min: 0, max: 240 }) })
      .map(({ days, ago }) => {
        const to = plusMs(NOW, -ago * HOUR_MS)
        return { from: plusMs(to, -days * DAY_MS), to }
      })
    const records = KEYS.flatMap((accountKey) =>
      mainWindows.map(({ id: windowId }) => ({ accountKey, windowId })),
    )
    await fc.assert(
      fc.asyncProperty(fc.tuple(...records.map(() => uses)), spans, async (used, span) => {
        const accounts = records.map((record, index) => ({
          ...record,
          readings: recorded(record, used[index] ?? []),
        }))
        const readings = accounts.flatMap((account) => account.readings)
        const until = accounts.map((account) => ({
          ...account,
          readings: account.readings.filter(({ at }) => at <= span.to),
        }))

        expect(await storedCycles(readings, watched, span)).toEqual(
          poolCyclesOf({ accounts: until, unwatched: [] }, WEIGHTS, span),
        )
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 5 : 2 },
    )
  })

  it('is not known of a time that nobody watched, nor of an account that has no weight', async () => {
    const record = { accountKey: 'other:claude', windowId: 'week' } as const
    const readings = recorded(record, [{ idle: 0, drops: [40], isSeen: true }])
    const { watchedSeconds, windows } = await storedCycles(readings, [])

    expect(watchedSeconds).toBe(0)
    expect(windows.week).toEqual({ endedCount: 0, knownCount: 0, dryCount: 0, weekly: null })
  })

  it('counts what happened after the moment it is asked about as little as what lies before the range', async () => {
    const at = (days: number) => plusMs(NOW, days * DAY_MS)
    const week = (days: number, percent: number, resets: number): WindowReadingRecord => ({
      accountKey: KEYS[0] ?? '',
      windowId: 'week',
      at: at(days),
      percent,
      resetAt: at(resets),
    })
    const { windows } = await storedCycles(
      [week(-40, 10, -35), week(-30.5, 0, -29), week(-3, 50, 2), week(1, 0, 2)],
      watched,
    )

    expect(windows.week).toMatchObject({ endedCount: 1, knownCount: 1, dryCount: 1 })
  })
})
