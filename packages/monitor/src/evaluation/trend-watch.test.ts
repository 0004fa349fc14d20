import { epochMs, mainWindows, plusMs, type Snapshot } from '@svc/core'
import { type CapacityPoint, type PoolRecord, trendsOf } from '@svc/core/pool'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  NOW,
  virtualClock,
} from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { createTrendWatch } from './trend-watch.ts'

const HOUR_MS = 3_600_000
const settle = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function watch({
  keeps = true,
  isOurs = true,
  isAnothers = false,
}: {
  readonly keeps?: boolean
  readonly isOurs?: boolean
  readonly isAnothers?: boolean
} = {}) {
  let ours = isOurs
  let anothers = isAnothers
  const clock = virtualClock(settle)
  const kept: PoolRecord[] = []
  let failing = false
  const trends = createTrendWatch({
    everySeconds: 60,
    multiplier: 6,
    keep: keeps
      ? async (course) => {
          if (failing) throw new Error('the disk is full')
          kept.push(course)
        }
      : null,
    keeps: () => ours,
    anotherKeeps: () => anothers,
    clock,
  })
  const show = async (seconds: number, fiveHour: number, changes: Partial<Snapshot> = {}) => {
    const snapshot = aSnapshot([
      [
        anAccount('a', { claimedPlan: 'plus' }),
        evidenceOf([
          aQuotaSample({
            fiveHour,
            week: 80,
            fiveHourResetsInSeconds: 9_000,
            weekResetsInSeconds: 400_000,
          }),
        ]),
      ],
    ])
    trends.onSnapshot({ ...snapshot, evaluatedAt: plusMs(NOW, seconds * 1000), ...changes })
    await settle()
  }
  const nothingBefore = () =>
    trends.seed({
      readings: [],
      points: [],
      burnHours: new Map(),
      changes: [],
    })
  return {
    clock,
    trends,
    kept,
    show,
    nothingBefore,
    fail: (is: boolean) => (failing = is),
    isKeptBy(who: 'this' | 'another' | 'nobody') {
      ours = who === 'this'
      anothers = who === 'another'
    },
  }
}

const pointsOf = (kept: readonly PoolRecord[]) =>
  kept.flatMap(({ points }) => points).filter(({ windowId }) => windowId === '5h')

describe('the trend watch', () => {
  it('takes a snapshot a minute, and none of a pool that was never read', async () => {
    const { clock, kept, show, nothingBefore } = watch()
    await nothingBefore()
    await show(0, 90, { available: false })
    await show(0, 90)
    await clock.advance(20_000)
    await show(20, 80)
    await clock.advance(40_000)
    await show(60, 70)
    expect(
      pointsOf(kept).map(({ knownUnits, burnedUnits }) => [
        knownUnits,
        Math.round(burnedUnits * 100) / 100,
      ]),
    ).toEqual([
      [0.9, 0],
      [0.7, 0.2],
    ])
  })

  it('hands in again what could not be kept', async () => {
    const { clock, kept, show, fail, nothingBefore } = watch()
    await nothingBefore()
    fail(true)
    await show(0, 90)
    await clock.advance(60_000)
    fail(false)
    await show(60, 80)
    await clock.advance(60_000)
    await show(120, 80)
    expect(kept.map(({ points }) => points.length)).toEqual([mainWindows.length + 1, 0])
    expect(pointsOf(kept).map(({ knownUnits }) => knownUnits)).toEqual([0.9, 0.8])
  })

  it('keeps each change once, and none that is kept already', async () => {
    const { clock, trends, kept, show } = watch()
    const change = (code: 'history_started' | 'proxy_restarted') => ({
      at: NOW,
      tone: 'good' as const,
      detail: { code },
    })
    const [old, fresh, newest] = [
      change('history_started'),
      change('proxy_restarted'),
      change('proxy_restarted'),
    ]
    await trends.seed({
      readings: [],
      points: [],
      burnHours: new Map(),
      changes: [old],
    })
    await show(0, 90, { recentChanges: [fresh, old] })
    await clock.advance(60_000)
    await show(60, 90, { recentChanges: [newest, fresh, old] })
    expect(kept.map(({ changes }) => changes)).toEqual([[fresh], [newest]])
    expect(kept[1]?.changes[0]).toBe(newest)
  })

  it('knows the runway from what was kept before, and says more of it as time goes by', async () => {
    const { trends, show } = watch({ keeps: false })
    await show(0, 50)
    expect(trendsOf(trends.latest(), 'codex')['5h'].runway.verdict).toBe('unknown')
    const hours = new Map(
      Array.from({ length: 30 }, (_, ago) => [Math.floor(NOW / HOUR_MS) - ago - 1, 0.25]),
    )
    const burn = { unitsByHour: hours, firstAt: epochMs(NOW - 30 * HOUR_MS) }
    await trends.seed({
      readings: [],
      points: [],
      burnHours: new Map([
        ['5h', burn],
        ['week', burn],
      ]),
      changes: [],
    })
    const { runway, past } = trendsOf(trends.latest(), 'codex')['5h']
    expect(runway).toMatchObject({ confidence: 'low', verdict: 'runs-dry' })
    expect(runway.burnPerHour).toBeCloseTo(0.25, 1)
    expect(((runway.runsDryAt ?? 0) - NOW) / HOUR_MS).toBeCloseTo(2, 0)
    expect(past).toHaveLength(1)
  })

  it('waits a minute for what was kept before, and no longer', async () => {
    const { clock, kept, show } = watch()
    await show(0, 90)
    expect(kept).toEqual([])
    await clock.advance(60_000)
    await show(60, 80)
    expect(kept).toHaveLength(1)
  })

  it('counts burn over a restart, from the readings of before', async () => {
    const { trends, kept, show } = watch()
    await trends.seed({
      readings: [
        {
          accountKey: anAccount('a').selector.accountKey,
          windowId: '5h',
          at: epochMs(NOW - HOUR_MS),
          percent: 90,
          resetAt: plusMs(NOW, 9_000_000),
        },
      ],
      points: [],
      burnHours: new Map(),
      changes: [],
    })
    await show(0, 60)
    expect(pointsOf(kept)[0]?.burnedUnits).toBeCloseTo(0.3, 6)
  })

  it('shows a day of points and no more', async () => {
    const { trends, show } = watch({ keeps: false })
    const point = (hoursAgo: number): CapacityPoint => ({
      provider: 'codex',
      windowId: '5h',
      at: epochMs(NOW - hoursAgo * HOUR_MS),
      knownUnits: 1,
      trackedUnits: 1,
      unknownUnits: 0,
      burnedUnits: 0,
    })
    await trends.seed({
      readings: [],
      points: [point(30), point(20), point(2)],
      burnHours: new Map(),
      changes: [],
    })
    await show(0, 60)
    expect(
      trendsOf(trends.latest(), 'codex')['5h'].past.map(({ at }) => (NOW - at) / HOUR_MS),
    ).toEqual([20, 2, 0])
  })
})

describe('a course that another monitor keeps', () => {
  const point = (minutesAgo: number, burnedUnits: number): CapacityPoint => ({
    provider: 'codex',
    windowId: '5h',
    at: epochMs(NOW - minutesAgo * 60_000),
    knownUnits: 1,
    trackedUnits: 1,
    unknownUnits: 0,
    burnedUnits,
  })
  const seen = (points: readonly CapacityPoint[], percent: number) => ({
    readings: [
      {
        accountKey: anAccount('a').selector.accountKey,
        windowId: '5h' as const,
        at: epochMs(NOW),
        percent,
        resetAt: plusMs(NOW, 9_000_000),
      },
    ],
    points,
    burnHours: new Map(),
    changes: [],
  })

  it('is shown and not written', async () => {
    const { clock, trends, kept, show } = watch({ isOurs: false, isAnothers: true })
    trends.follow(seen([point(2, 0.1)], 90))
    for (const seconds of [0, 60, 120]) {
      await show(seconds, 90 - seconds)
      await clock.advance(60_000)
    }
    trends.follow(seen([point(2, 0.1), point(1, 0.2)], 70))

    expect(pointsOf(kept)).toEqual([])
    expect(
      trendsOf(trends.latest(), 'codex')['5h'].past.map(({ burnedUnits }) => burnedUnits),
    ).toEqual([0.1, 0.2])
  })

  it('is gone on with by who takes it over: nothing is burned or told twice', async () => {
    const { clock, trends, kept, show, isKeptBy } = watch({ isOurs: false, isAnothers: true })
    const change = { at: NOW, tone: 'good', detail: { code: 'history_started' } } as const
    trends.follow(seen([], 90))
    await show(0, 90, { recentChanges: [change] })
    await clock.advance(60_000)
    trends.follow(seen([point(1, 0.2)], 70))
    isKeptBy('this')
    await show(60, 60, { recentChanges: [change] })

    expect(kept.flatMap(({ changes }) => changes)).toEqual([])
    expect(pointsOf(kept).map(({ burnedUnits }) => burnedUnits)).toEqual([expect.closeTo(0.1, 6)])
  })
})

describe('a course that nobody keeps for a while, as the database is away', () => {
  const changeOf = (code: 'history_started' | 'proxy_restarted') =>
    ({ at: NOW, tone: 'good', detail: { code } }) as const
  const meanwhile = changeOf('proxy_restarted')
  /** Changes stored once this process, or another, stores the course again. */
  const keptAfter = async (who: 'this' | 'another') => {
    const { clock, kept, show, nothingBefore, isKeptBy } = watch()
    nothingBefore()
    const before = changeOf('history_started')
    await show(0, 90, { recentChanges: [before] })
    await clock.advance(60_000)
    isKeptBy('nobody')
    await show(60, 80, { recentChanges: [meanwhile, before] })
    await clock.advance(60_000)
    isKeptBy(who)
    await show(120, 70, { recentChanges: [meanwhile, before] })
    await clock.advance(60_000)
    isKeptBy('this')
    await show(180, 60, { recentChanges: [meanwhile, before] })
    return kept.map(({ changes }) => changes).slice(1)
  }

  it('has its changes kept when this monitor keeps it again, once', async () => {
    expect(await keptAfter('this')).toEqual([[], [meanwhile], []])
  })

  it('has its changes kept by another monitor when that takes it over', async () => {
    expect(await keptAfter('another')).toEqual([[], [], []])
  })
})
