import { describe, expect, it } from 'vitest'
import { plusMs } from '../facts/time.ts'
import { perWindow } from '../facts/window.ts'
import { fromNow, NOW } from '../testing/builders.ts'
import { hourOf } from './burn-forecast.ts'
import {
  type ExpectedLevel,
  expectedLevelsOf,
  type ForecastSpan,
  worstSpansOf,
} from './expected-levels.ts'
import type { AccountQuota, RunwayContext, WalkStep } from './quota-walk.ts'
import { runwayOf } from './runway.ts'

const HOUR_MS = 3_600_000
const LATE = fromNow(99 * 3_600)

const context = (windowId: RunwayContext['windowId']): RunwayContext => ({
  windowId,
  multiplier: 'off',
  now: NOW,
})
/** Burn of the hours up to now, newest first. */
const burned = (units: readonly number[]) => ({
  firstAt: plusMs(NOW, -units.length * HOUR_MS),
  unitsByHour: new Map([
    [hourOf(NOW), 0],
    ...units.map((each, ago) => [hourOf(NOW) - 1 - ago, each] as const),
  ]),
})
/** Too short to tell the error of forecasts, so that the quartiles are half of the burn and twice of it. */
const steady = (perHour: number) => burned(Array.from({ length: 12 }, () => perHour))

const account = (
  percent: number,
  { resetAt = LATE, ...changes }: Partial<AccountQuota & { readonly resetAt: typeof LATE }> = {},
): AccountQuota => ({
  weight: 1,
  windows: perWindow(({ seconds }) => ({ percent, resetAt, periodMs: seconds * 1000 })),
  heldUntil: null,
  lapsesAt: null,
  ...changes,
})
const round = (number: number) => Math.round(number * 100) / 100
const shapeOf = (levels: readonly ExpectedLevel[]) =>
  levels.map(({ at, expected, low, high }) => [
    round((at - NOW) / HOUR_MS),
    ...[expected, low, high].map(round),
  ])

describe('the spans of the forecast', () => {
  const hours = (spans: readonly ForecastSpan[]) =>
    spans.map(({ from, to, state }) => [(from - NOW) / HOUR_MS, (to - NOW) / HOUR_MS, state])
  const spansOf = (accounts: readonly AccountQuota[], unitsPerHour: readonly number[]) =>
    runwayOf(accounts, burned(unitsPerHour), context('week')).spans
  const everyHour = (perHour: number, count: number) => Array.from({ length: count }, () => perHour)

  it('are usable while the quota lasts, dry from then on and until an account is free', () => {
    const accounts = [account(100), account(50, { heldUntil: fromNow(30 * 3_600) })]
    // Of every hour alike the quartiles are those of the forecast itself.
    expect(hours(spansOf(accounts, everyHour(0.1, 24 * 9)))).toEqual([
      [0, 10, 'usable'],
      [10, 30, 'dry'],
      [30, 35, 'usable'],
      [35, 48, 'dry'],
    ])
  })

  it('are a risk where the confidence is low, and dry only where the lower quartile is', () => {
    expect(hours(spansOf([account(100)], everyHour(0.1, 12)))).toEqual([
      [0, 5, 'usable'],
      [5, 20, 'risk'],
      [20, 48, 'dry'],
    ])
  })

  it('are none without a forecast', () => {
    expect(spansOf([account(100)], [])).toEqual([])
  })

  it('joined are the worst of each time', () => {
    const span = (from: number, to: number, state: ForecastSpan['state']) => ({
      from: fromNow(from * 3_600),
      to: fromNow(to * 3_600),
      state,
    })
    const one = [span(0, 4, 'usable'), span(4, 48, 'dry')]
    const other = [span(0, 2, 'risk'), span(2, 6, 'usable'), span(6, 48, 'risk')]
    expect(hours(worstSpansOf([one, other]))).toEqual([
      [0, 2, 'risk'],
      [2, 4, 'usable'],
      [4, 48, 'dry'],
    ])
    expect(worstSpansOf([])).toEqual([])
  })
})

describe('the levels ahead', () => {
  /** Levels: hour, expected units, low and high. */
  it.each<
    readonly [what: string, accounts: readonly AccountQuota[], perHour: number, holds: string]
  >([
    [
      'fall by the burn, with a band that widens',
      [account(100, { weight: 4 })],
      0.2,
      '0 4 4 4; 1 3.8 3.6 3.9; 6 2.8 1.6 3.4',
    ],
    [
      'leap when a reset returns units',
      [account(100, { weight: 4 }), account(0, { resetAt: fromNow(3_600) })],
      0.2,
      '1 3.8 3.6 3.9; 1 4.8 4.6 4.9',
    ],
    [
      'leap five minutes after the reset at most',
      [account(100, { weight: 4 }), account(0, { resetAt: fromNow(3_610) })],
      0,
      '1 4 4 4; 1.08 4 4 4; 1.08 5 5 5',
    ],
    [
      'leap down where a subscription ends',
      [account(100), account(100, { weight: 2, lapsesAt: fromNow(7_200) })],
      0,
      '2 3 3 3; 2 1 1 1',
    ],
    [
      'are 0 from when it is dry, and again after what a reset returned',
      [account(40, { resetAt: fromNow(3 * 3_600) })],
      0.4,
      '0.5 0.2 0 0.3; 1 0 0 0.2; 2 0 0 0; 3 0 0 0; 3 1 1 1; 4 0.6 0.2 0.8; 6 0 0 0.4',
    ],
  ])('%s', (_, accounts, perHour, holds) => {
    const { levels } = runwayOf(accounts, steady(perHour), context('5h'))

    const found = shapeOf(levels).map((level) => level.join(' '))

    expect(found).toEqual(expect.arrayContaining(holds.split('; ')))
  })

  it.each([
    {
      what: 'holds the expected level where more was always expected than came',
      steps: { expected: { end: 2 }, upperBurn: { end: 3 }, lowerBurn: { end: 3.5 } },
      levels: [
        [0, 4, 4, 4],
        [300, 2, 2, 3.5],
      ],
    },
    {
      what: 'has each level at the instant where another is dry',
      steps: {
        expected: { end: 0, dryAt: fromNow(200) },
        upperBurn: { end: 0, dryAt: fromNow(100) },
        lowerBurn: { end: 1 },
      },
      levels: [
        [0, 4, 4, 4],
        [100, 2, 0, 3],
        [200, 0, 0, 2],
        [300, 0, 0, 1],
      ],
    },
  ])('the band $what', ({ steps, levels }) => {
    const walkTo = (changes: Pick<WalkStep, 'end'> & Partial<WalkStep>): readonly WalkStep[] => [
      { startAt: NOW, endAt: fromNow(300), held: 0, before: 4, start: 4, dryAt: null, ...changes },
    ]
    const { expected, upperBurn, lowerBurn } = steps
    const found = expectedLevelsOf(
      { expected: walkTo(expected), upperBurn: walkTo(upperBurn), lowerBurn: walkTo(lowerBurn) },
      context('5h'),
    )

    expect(
      found.map((level) => [(level.at - NOW) / 1000, level.expected, level.low, level.high]),
    ).toEqual(levels)
  })

  it('are not told without a pace', () => {
    expect(runwayOf([account(100)], burned([]), context('5h')).levels).toEqual([])
    expect(runwayOf([], steady(1), context('5h')).levels).toEqual([])
  })

  it('tell the largest leaps of many', () => {
    const accounts = Array.from({ length: 60 }, (_, index) =>
      account(0, { weight: index === 30 ? 5 : 1, resetAt: fromNow((index + 1) * 310) }),
    )
    const { levels } = runwayOf(accounts, steady(0), context('5h'))
    const leaps = levels.flatMap(({ at, expected }, index) => {
      const before = levels[index - 1]
      return before?.at === at ? [round(expected - before.expected)] : []
    })

    expect(leaps).toHaveLength(8)
    expect(Math.max(...leaps)).toBeGreaterThanOrEqual(5)
  })
})
