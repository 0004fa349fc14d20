import { type EpochMs, plusMs } from '@svc/core'
import { type CourseRangeId, courseRangeIds, courseRanges } from '@svc/core/account'
import type { CapacityPoint, WindowReadingRecord } from '@svc/core/pool'
import { NOW } from '@svc/core/testing'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { openHistory, openUsage } from '../open-history.ts'
import { emptyStores } from '../testing/empty-stores.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const KEY = '0011223344556677'
const SILENT_MS = 30 * MINUTE_MS

const stores = emptyStores()
afterAll(stores.remove)

const hoursAgo = (hours: number): EpochMs => plusMs(NOW, -hours * HOUR_MS)
const reading = (
  hours: number,
  percent: number,
  changes: Partial<WindowReadingRecord> = {},
): WindowReadingRecord => ({
  accountKey: KEY,
  windowId: '5h',
  at: hoursAgo(hours),
  percent,
  resetAt: null,
  ...changes,
})
/** The pool was watched, with a sign of life every quarter of an hour. */
const watched = (fromHours: number, toHours: number): readonly CapacityPoint[] =>
  Array.from({ length: (fromHours - toHours) * 4 + 1 }, (_, quarter) => ({
    provider: 'codex',
    windowId: '5h',
    at: plusMs(hoursAgo(fromHours), quarter * 15 * MINUTE_MS),
    knownUnits: 1,
    trackedUnits: 1,
    unknownUnits: 0,
    burnedUnits: 0,
  }))

const hoursOf = (instants: readonly { readonly at: EpochMs }[] | undefined) =>
  instants?.map(({ at }) => (NOW - at) / HOUR_MS)
const gapHours = (gaps: readonly { readonly from: EpochMs; readonly to: EpochMs }[] | undefined) =>
  gaps?.map(({ from, to }) => [(NOW - from) / HOUR_MS, (NOW - to) / HOUR_MS])

describe.each(stores.engines)('the course of an account in $engine', ({ whyNot, create }) => {
  beforeEach((context) => {
    if (whyNot !== null) context.skip(whyNot)
  })

  const courseOf = async (
    {
      readings,
      points = watched(31 * 24, 0),
    }: {
      readonly readings: readonly WindowReadingRecord[]
      readonly points?: readonly CapacityPoint[]
    },
    {
      range = '24h',
      accountKey = KEY,
      now = NOW,
    }: {
      readonly range?: CourseRangeId
      readonly accountKey?: string
      readonly now?: EpochMs
    } = {},
  ) => {
    const { location } = await create()
    const store = await openHistory(location)
    await store.quota.record({ points, readings, changes: [] })
    await store.close()
    const reader = await openUsage({ location, retentionDays: 90 })
    try {
      return await reader.course({ accountKey, range }, { now, silentMsMax: SILENT_MS })
    } finally {
      await reader.close()
    }
  }

  it('has its readings of the span and the one that stood when it began, window by window, and nobody else’s', async () => {
    const other = { accountKey: '8899aabbccddeeff' }
    const course = await courseOf({
      readings: [
        reading(30, 90),
        reading(25, 80),
        reading(3, 70),
        reading(2, 12, { windowId: 'week' }),
        reading(1, 60),
        reading(1, 5, other),
        reading(24.5, 4, other),
      ],
    })

    expect(course?.map(({ windowId, points }) => [windowId, hoursOf(points)])).toEqual([
      ['5h', [25, 3, 1]],
      ['week', [2]],
    ])
    expect(course?.[0]?.points.map(({ percent }) => percent)).toEqual([80, 70, 60])
  })

  it('tells when each account was first read, in whichever window', async () => {
    const { location } = await create()
    const store = await openHistory(location)
    const other = { accountKey: '8899aabbccddeeff', windowId: 'week' } as const
    const readings = [reading(1, 5), reading(900, 5, { windowId: 'week' }), reading(2, 9, other)]
    await store.quota.record({ points: [], readings, changes: [] })
    await store.close()
    const reader = await openUsage({ location, retentionDays: 90 })
    const found = await reader.firstRead().finally(() => reader.close())

    expect([...found].sort()).toEqual([
      [KEY, hoursAgo(900)],
      [other.accountKey, hoursAgo(2)],
    ])
  })

  it('says what each reading came with and when it was taken, where that is known', async () => {
    const course = await courseOf({
      readings: [
        reading(3, 70, { origin: 'headers', sampledAt: hoursAgo(3.1) }),
        reading(2, 60, { origin: 'made-up' as never }),
        reading(1, 50),
      ],
    })

    expect(course?.[0]?.points.map(({ origin, sampledAt }) => [origin, sampledAt])).toEqual([
      ['headers', hoursAgo(3.1)],
      [null, null],
      [null, null],
    ])
  })

  it('is none for an account without a reading', async () => {
    expect(
      await courseOf({ readings: [reading(1, 50)] }, { accountKey: 'other:claude' }),
    ).toBeNull()
  })

  it.each(courseRangeIds)(
    'takes a reading at the first and the last instant of %s',
    async (range) => {
      const hours = courseRanges[range] / 3600
      const course = await courseOf(
        { readings: [reading(hours + 1, 90), reading(hours, 80), reading(0, 70), reading(-1, 60)] },
        { range },
      )

      expect(hoursOf(course?.[0]?.points)).toEqual([hours, 0])
      expect(course?.[0]?.gaps).toEqual([])
    },
  )

  it.each([
    { what: 'never watched', points: [], gaps: [[24, 0]] },
    {
      what: 'not watched for four hours',
      points: [...watched(48, 10), ...watched(6, 0)],
      gaps: [[10, 6]],
    },
    { what: 'watched until an hour ago', points: watched(48, 1), gaps: [[1, 0]] },
    { what: 'watched since two hours ago', points: watched(2, 0), gaps: [[24, 2]] },
    { what: 'watched long ago alone', points: watched(60, 50), gaps: [[24, 0]] },
    {
      what: 'silent across the beginning',
      points: [...watched(40, 30), ...watched(20, 0)],
      gaps: [[24, 20]],
    },
  ])('has a gap where the pool was $what', async ({ points, gaps }) => {
    const course = await courseOf({ readings: [reading(30, 50)], points })

    expect(gapHours(course?.[0]?.gaps)).toEqual(gaps)
  })

  it('has nothing that was recorded after the moment it is asked about', async () => {
    const pool = { points: watched(48, 0), readings: [reading(1, 50)] }

    expect(hoursOf((await courseOf(pool))?.[0]?.points)).toEqual([1])
    expect((await courseOf(pool, { now: hoursAgo(2) }))?.[0]?.points).toEqual([])
  })
})
