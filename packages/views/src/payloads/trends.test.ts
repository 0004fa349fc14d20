import {
  type CapacityReturn,
  noTrends,
  type Runway,
  type Trends,
  type WindowCapacity,
} from '@svc/core/pool'
import { fromNow } from '@svc/core/testing'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createWording } from '../messages/wording.ts'
import { aPoolCapacity, aSnapshot } from '../testing/snapshots.ts'
import { trendsSchema, trendsView } from './trends.ts'

const aReturn = (seconds: number, units: number): CapacityReturn => ({
  at: fromNow(seconds),
  units,
  fileKey: 'a.json',
  title: 'a',
})

/** Longest time between two points without a gap: half an hour. */
const NO_GAP_SECONDS = 1_800

/** The 5h window of the payload, with these coming resets, this runway and this past. */
function fiveHour({
  returns = [],
  runway = {},
  points = 0,
  gapBefore = [],
  unknownUnits = () => 0,
  capacity: changes = {},
}: {
  readonly returns?: readonly CapacityReturn[]
  readonly runway?: Partial<Runway>
  readonly points?: number
  /** Indexes of points half an hour and one second after the previous point. */
  readonly gapBefore?: readonly number[]
  /** Unknown units of the point at an index, out of 100 tracked. */
  readonly unknownUnits?: (index: number) => number
  readonly capacity?: Partial<WindowCapacity>
}) {
  const base = noTrends['5h']
  const lateSeconds = (index: number) =>
    gapBefore.filter((late) => late > index).length * (NO_GAP_SECONDS - 59)
  const past = Array.from({ length: points }, (_, index) => ({
    at: fromNow((index - points + 1) * 60 - lateSeconds(index)),
    knownUnits: index,
    // Not known of what was recorded before a restart.
    ...(index < 2 ? {} : { usableUnits: index - 1.5 }),
    trackedUnits: 100,
    unknownUnits: unknownUnits(index),
  }))
  const trends = {
    ...noTrends,
    '5h': { runway: { ...base.runway, ...runway }, past },
  } as unknown as Trends
  const capacity = aPoolCapacity({ '5h': { knownUnits: 2, trackedUnits: 4, returns, ...changes } })
  const view = trendsView(aSnapshot([], { capacity }), trends, createWording('UTC'))
  expect(v.safeParse(trendsSchema, view).issues).toBeUndefined()
  const [window] = view.windows
  if (window === undefined) throw new Error('there is no window')
  return window
}

describe('the trend of a window', () => {
  it.each([
    { what: 'unknown', runway: {}, text: 'Burn not known yet' },
    {
      what: 'safe',
      runway: { burnPerHour: 1.25, verdict: 'safe' },
      text: '−1.3 Plus/h · lasts beyond 48 h',
    },
    {
      what: 'tight',
      runway: { burnPerHour: 3.2, verdict: 'tight' },
      text: '−3.2 Plus/h · may run dry within 48 h',
    },
    {
      what: 'dry soon',
      runway: { burnPerHour: 3.2, verdict: 'runs-dry', runsDryAt: fromNow(22_200) },
      text: '−3.2 Plus/h · dry in 6h 10min',
    },
    {
      what: 'dry soon, as far as can be told so early',
      runway: {
        burnPerHour: 3.2,
        verdict: 'runs-dry',
        confidence: 'low',
        runsDryAt: fromNow(36_000),
        p25: fromNow(18_000),
        p75: fromNow(71_000),
      },
      text: '−3.2 Plus/h · rough: 5 to 20 h',
    },
    {
      what: 'perhaps dry, as far as can be told so early',
      runway: {
        burnPerHour: 3.2,
        verdict: 'tight',
        confidence: 'low',
        runsDryAt: fromNow(160_000),
        p25: fromNow(3_000),
      },
      text: '−3.2 Plus/h · rough: 0 h or more',
    },
    {
      what: 'dry by now',
      runway: { burnPerHour: 3.2, verdict: 'runs-dry', runsDryAt: fromNow(-60) },
      text: '−3.2 Plus/h · dry in <1min',
    },
    {
      what: 'safe without what lapses',
      runway: { burnPerHour: 1.25, verdict: 'safe', lapsingCount: 1 },
      text: '−1.3 Plus/h · lasts beyond 48 h · less 1 subscription ending within 48 h',
    },
  ] as const)('that is $what reads "$text"', ({ runway, text }) => {
    expect(fiveHour({ runway }).runway.text).toBe(text)
  })

  it('counts the accounts whose subscription ends, where there are any', () => {
    expect(fiveHour({ runway: { lapsingCount: 2 } }).runway.lapsingAccounts).toBe(2)
    expect(fiveHour({}).runway).not.toHaveProperty('lapsingAccounts')
  })

  it.each([
    { what: 'not known, or too far away', at: null, seconds: null },
    { what: 'in half an hour', at: fromNow(1_800), seconds: 1_800 },
    { what: 'a moment ago', at: fromNow(-30), seconds: 0 },
  ])('says in how many seconds it is dry without resets: $what', ({ at, seconds }) => {
    const { runway } = fiveHour({ runway: { runsDryWithoutResetsAt: at } })
    expect(runway.secondsWithoutReturns).toBe(seconds)
  })

  it('rises by what comes back, and not above what is tracked', () => {
    const { ahead } = fiveHour({ returns: [aReturn(60, 1), aReturn(120, 0.5), aReturn(180, 3)] })

    expect(ahead.map(({ units, total }) => [units, total])).toEqual([
      [1, 3],
      [0.5, 3.5],
      [3, 4],
    ])
  })

  it.each([
    { seconds: 48 * 3_600, count: 1 },
    { seconds: 48 * 3_600 + 1, count: 0 },
  ])('looks 48 h ahead: a reset in $seconds s is shown $count times', ({ seconds, count }) => {
    expect(fiveHour({ returns: [aReturn(seconds, 1)] }).ahead).toHaveLength(count)
  })

  it('has the forecast, rounded, and leaves it out without a pace', () => {
    const levels = [
      { at: fromNow(0), expected: 2, low: 2, high: 2, held: 0 },
      { at: fromNow(900), expected: 1.23456, low: 0, high: 1.9996, held: 0.49999 },
    ]

    expect(fiveHour({ runway: { levels } }).forecast).toEqual([
      { at: '2026-11-20T12:00:00.000Z', expected: 2, low: 2, high: 2, held: 0 },
      { at: '2026-11-20T12:15:00.000Z', expected: 1.235, low: 0, high: 2, held: 0.5 },
    ])
    expect(fiveHour({})).not.toHaveProperty('forecast')
  })

  it('tells what is usable then, with the accounts that become free', () => {
    const { gains } = fiveHour({
      capacity: {
        knownUnits: 4,
        usableUnits: 1,
        trackedUnits: 6,
        gains: [
          { at: fromNow(90), units: 2 },
          { at: fromNow(90), units: 1 },
          { at: fromNow(120), units: 0.5 },
        ],
      },
    })

    expect(gains?.map(({ units, usable }) => [units, usable])).toEqual([
      [3, 4],
      [0.5, 4.5],
    ])
  })

  it('goes on by the hour after two days or 24 times, up to what is tracked', () => {
    const capacity = { knownUnits: 4, usableUnits: 1, trackedUnits: 6 }
    const at = (hours: number, units: number) => ({ at: fromNow(hours * 3_600), units })
    const far = fiveHour({
      capacity: { ...capacity, gains: [at(1, 1), at(49, 1), at(49.5, 1), at(60, 5)] },
    })
    expect(far.gains?.map(({ usable }) => usable)).toEqual([2])
    expect(far.later?.map(({ units, usable }) => [units, usable])).toEqual([
      [2, 4],
      [5, 6],
    ])
    const gains = Array.from({ length: 30 }, (_, index) => at(index / 60, 0.125))
    const many = fiveHour({ capacity: { ...capacity, gains } })
    expect([many.gains?.length, many.later]).toEqual([
      24,
      [{ at: '2026-11-20T12:24:00.000Z', units: 0.75, usable: 4.75 }],
    ])
    expect(fiveHour({ capacity })).not.toHaveProperty('later')
  })

  it('shows the nearest 24 resets of many', () => {
    const returns = Array.from({ length: 30 }, (_, index) => aReturn(60 * (index + 1), 0.01))
    const { ahead } = fiveHour({ returns })

    expect(ahead).toHaveLength(24)
    expect(ahead[0]?.at).toBe('2026-11-20T12:01:00.000Z')
  })

  it.each([
    { points: 0, shown: 0 },
    { points: 1, shown: 1 },
    { points: 48, shown: 48 },
    { points: 49, shown: 25 },
    { points: 288, shown: 48 },
    { points: 1_440, shown: 48 },
  ])('shows $shown of $points points of the past, the newest among them', ({ points, shown }) => {
    const { past } = fiveHour({ points })

    expect(past).toHaveLength(shown)
    expect(past.at(-1)?.known).toBe(points === 0 ? undefined : points - 1)
    expect(past.map(({ at }) => at)).toEqual(past.map(({ at }) => at).sort())
  })

  it('tells of the past what was usable where that is known', () => {
    expect(fiveHour({ points: 4 }).past.map(({ known, usable }) => [known, usable])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, 0.5],
      [3, 1.5],
    ])
  })

  it('leaves out of the past what was recorded while much of the pool was unread', () => {
    const { past } = fiveHour({
      points: 5,
      unknownUnits: (index) => [100, 21, 20, 0, 0][index] ?? 0,
    })

    expect(past.map(({ known }) => known)).toEqual([2, 3, 4])
  })

  it.each([
    { points: 10, gapBefore: [], shown: [] },
    { points: 10, gapBefore: [4], shown: [4] },
    { points: 10, gapBefore: [1, 9], shown: [1, 9] },
    // Of 96 points every second one is shown, up to the newest.
    { points: 96, gapBefore: [40, 61], shown: [20, 30] },
    { points: 96, gapBefore: [0, 1], shown: [] },
  ])('marks $shown of $points points as after a gap, where $gapBefore are', (row) => {
    const { past } = fiveHour(row)

    expect(past.flatMap(({ afterGap }, index) => (afterGap === true ? [index] : []))).toEqual(
      row.shown,
    )
  })
})
