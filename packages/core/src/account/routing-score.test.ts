import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anAbsentWindow, aRolledOverWindow, aWindow, fromNow, NOW } from '../testing/builders.ts'
import { meteredQuotasOf } from './account-quota.ts'
import { type QuotaWindow, unknownWindow } from './quota-window.ts'
import { type ReclaimWindow, reclaimWindowOf } from './reclaim-window.ts'
import {
  hasNotStarted,
  NO_SCORE,
  paceOf,
  type ScoringInput,
  scoreComponentsOf,
  scoreMaximaOf,
  scoreOf,
  scoringPolicy,
  timeShareLeft,
} from './routing-score.ts'

const input = (changes: Partial<ScoringInput> = {}): ScoringInput => ({
  windows: [
    aWindow('5h', 80, { resetsInSeconds: 9000 }),
    aWindow('week', 60, { resetsInSeconds: 302_400 }),
  ],
  provider: 'codex',
  plan: 'plus',
  tone: 'good',
  failureRatio: null,
  lastSuccessAt: null,
  reclaim: null,
  multiplier: 6,
  now: NOW,
  ...changes,
})
const fiveHour = (percent: number, resetsInSeconds?: number) =>
  aWindow('5h', percent, resetsInSeconds === undefined ? {} : { resetsInSeconds })
const week = (percent: number, resetsInSeconds?: number) =>
  aWindow('week', percent, resetsInSeconds === undefined ? {} : { resetsInSeconds })

describe('capacity, worked out by hand', () => {
  // round(20 × (W + F) × min(1, e/5)) with F = min(1, (e5/100 ÷ t5)/3) and W = min(1, (pw/100 ÷ tw)/1.5).
  it.each<readonly [why: string, changes: Partial<ScoringInput>, capacity: number]>([
    // t5 = 9000/18000 = 0.5, tw = 302400/604800 = 0.5; e5 = min(80, 360) = 80.
    // F = (0.8/0.5)/3 = 0.5333, W = (0.6/0.5)/1.5 = 0.8 → 20 × 1.3333 = 26.67.
    ['half of both periods left', {}, 27],
    // No reset: t = 1. F = 0.8/3 = 0.2667, W = 0.6/1.5 = 0.4 → 13.33.
    ['no reset time counts as all the time left', { windows: [fiveHour(80), week(60)] }, 13],
    // F = 1/3, W = 1/1.5 = 0.6667 → 20.
    ['everything left, all the time left', { windows: [fiveHour(100), week(100)] }, 20],
    // F = (1/0.3333)/3 = 1, W = (1/0.6667)/1.5 = 1 → 40: the pace that earns every point.
    [
      'three times and one and a half times too much left',
      { windows: [fiveHour(100, 6000), week(100, 403_200)] },
      40,
    ],
    // Above that pace: clamped at 1 each.
    ['far too much left', { windows: [fiveHour(100, 600), week(100, 6048)] }, 40],
    // t5 = 60/18000 = 0.0033 → 0.01: F = min(1, 0.02/0.01/3) = 0.6667. tw likewise 0.01: W = min(1, 0.01/0.01/1.5) = 0.6667; e5 = min(2, 6) = 2.
    // 20 × 1.3333 × 2/5 = 10.67. Without the floor F and W would be 1: 16.
    [
      'no less than a hundredth of the time counts as left',
      { windows: [fiveHour(2, 60), week(1, 600)] },
      11,
    ],
    // e5 = min(100, 4 × 6) = 24, t5 = 1: F = 0.24/3 = 0.08. tw = 60480/604800 = 0.1: W = (0.04/0.1)/1.5 = 0.2667 → 6.93.
    [
      'a nearly used week caps the 5h window',
      { windows: [fiveHour(100, 18_000), week(4, 60_480)] },
      7,
    ],
    // The same without the cap: F = 1/3 → 20 × 0.6 = 12.
    [
      'unless that is off',
      { windows: [fiveHour(100, 18_000), week(4, 60_480)], multiplier: 'off' },
      12,
    ],
    // Multiplier 2: e5 = 8, F = 0.0267 → 5.87.
    [
      'by the multiplier set',
      { windows: [fiveHour(100, 18_000), week(4, 60_480)], multiplier: 2 },
      6,
    ],
    // e5 = 3, t5 = 0.1: F = 0.1; W = 0.4 → 20 × 0.5 × 3/5 = 6.
    ['below 5 % it counts for less', { windows: [fiveHour(3, 1800), week(60)] }, 6],
    // e5 = 5: F = (0.05/0.1)/3 = 0.1667 → 20 × 0.5667 × 1 = 11.33.
    ['at 5 % it counts in full', { windows: [fiveHour(5, 1800), week(60)] }, 11],
    // e5 = min(100, 0.5 × 6) = 3: F = 0.01, W = 0.0033 → 20 × 0.0133 × 0.6 = 0.16.
    ['and a week below 5 ÷ 6 % makes it so', { windows: [fiveHour(100), week(0.5)] }, 0],

    // One window absent: the other's percent and time stand in for both. tw = 400000/604800 = 0.66138; F =
    // (0.97/0.66138)/3 = 0.48888, W = 0.97777; e = 97 × 6 → 20 × 1.46665 = 29.33.
    ['weekly only', { windows: [anAbsentWindow('5h'), week(97, 400_000)] }, 29],
    // tw = 0.01: F = min(1, 0.8/3) = 0.2667, W = 0.8/1.5 = 0.5333; e = 0.8 × 6 = 4.8 → 20 × 0.8 × 0.96 = 15.36.
    [
      'weekly only and scarce by its worth in 5h windows',
      { windows: [anAbsentWindow('5h'), week(0.8, 6048)] },
      15,
    ],
    // Off: e = pw = 0.8 → 20 × 0.8 × 0.16 = 2.56.
    [
      'scarce by its own percent where the multiplier is off',
      { windows: [anAbsentWindow('5h'), week(0.8, 6048)], multiplier: 'off' },
      3,
    ],
    // t = 0.5: F = (0.4/0.5)/3 = 0.2667, W = 0.5333; e = 40 → 16.
    ['5h only', { windows: [fiveHour(40, 9000), anAbsentWindow('week')] }, 16],

    // One unknown: 40 × the known pace × 0.7.
    // W = 0.8 → 22.4.
    ['5h unknown', { windows: [unknownWindow('5h'), week(60, 302_400)] }, 22],
    // F = 0.5333 → 14.93.
    ['week unknown', { windows: [fiveHour(80, 9000), unknownWindow('week')] }, 15],
    // F = 1 → 28.
    [
      'a known pace is worth no more than 1',
      { windows: [fiveHour(100, 600), unknownWindow('week')] },
      28,
    ],

    // Neither known: 10.
    ['both unknown', { windows: [unknownWindow('5h'), unknownWindow('week')] }, 10],
    ['both absent', { windows: [anAbsentWindow('5h'), anAbsentWindow('week')] }, 10],
    ['one absent, one unknown', { windows: [anAbsentWindow('5h'), unknownWindow('week')] }, 10],
    [
      'only a further window known',
      { windows: [anAbsentWindow('5h'), anAbsentWindow('week'), aWindow('month', 50)] },
      10,
    ],

    // Untracked plan × 0.3: 26.67 × 0.3 = 8; 22.4 × 0.3 = 6.72; 10 × 0.3 = 3. Rounded once: 27 × 0.3 would be 8.1.
    ['untracked plan', { plan: 'free' }, 8],
    [
      'untracked plan, 5h unknown',
      { plan: 'unknown', windows: [unknownWindow('5h'), week(60, 302_400)] },
      7,
    ],
    ['untracked plan, nothing known', { plan: 'k12', windows: [] }, 3],

    // Rolled over: 100 %, no reset. F = 1/3, W = 0.8 → 22.67.
    [
      'a reset that nobody confirmed',
      { windows: [aRolledOverWindow('5h', 60), week(60, 302_400)] },
      23,
    ],
  ])('%s', (_, changes, capacity) => {
    expect(scoreComponentsOf(input(changes)).capacity).toBe(capacity)
  })
})

describe('health', () => {
  const stale = [aWindow('5h', 80, { stale: true }), aWindow('week', 60)]
  it.each<readonly [why: string, changes: Partial<ScoringInput>, health: number]>([
    ['good', { tone: 'good' }, 20],
    ['warn', { tone: 'warn' }, 11],
    ['unknown', { tone: 'unknown' }, 8],
    ['stale, good', { windows: stale }, 15],
    ['stale, warn', { windows: stale, tone: 'warn' }, 6],
    [
      'a stale week is stale too',
      { windows: [aWindow('5h', 80), aWindow('week', 60, { stale: true })] },
      15,
    ],
    [
      'both stale count once',
      { windows: [aWindow('5h', 80, { stale: true }), aWindow('week', 60, { stale: true })] },
      15,
    ],
    [
      'so does a stale month',
      { windows: [...input().windows, aWindow('month', 60, { stale: true })] },
      15,
    ],
    [
      'a reset nobody confirmed is stale',
      { windows: [aRolledOverWindow('5h', 60), aWindow('week', 60)] },
      15,
    ],
    [
      'a stale window of another scope is not',
      { windows: [...input().windows, aWindow('extra:spark:week', 60, { stale: true })] },
      20,
    ],
    [
      'a stale absence is not',
      { windows: [{ ...anAbsentWindow('5h'), stale: true } as QuotaWindow, aWindow('week', 60)] },
      20,
    ],
    ['no request failed', { failureRatio: 0 }, 20],
    // 20 − 6 × 0.1 = 19.4
    ['one in ten failed', { failureRatio: 0.1 }, 19],
    ['half failed', { failureRatio: 0.5 }, 17],
    ['all failed', { failureRatio: 1 }, 14],
    // 11 − 5 − 6 = 0
    ['as bad as a routable account gets', { windows: stale, tone: 'warn', failureRatio: 1 }, 0],
    // 8 − 5 − 6 = −3
    ['never below 0', { windows: stale, tone: 'unknown', failureRatio: 1 }, 0],
  ])('%s', (_, changes, health) => {
    expect(scoreComponentsOf(input(changes)).health).toBe(health)
  })
})

// round(5 × log2(1 + weight)/log2(21)): log2(21) = 4.392; 5 × 1/4.392 = 1.14; 5 × 2.585/4.392 = 2.94.
it.each([
  ['plus', 1],
  ['team', 1],
  ['prolite', 3],
  ['pro', 5],
  ['free', 0],
  ['enterprise', 0],
  ['unknown', 0],
])('plan %s earns %d', (plan, points) => {
  expect(scoreComponentsOf(input({ plan })).plan).toBe(points)
})

describe('load: 25 when the window that meters the account has not started', () => {
  const rest = week(60, 302_400)
  const full = (resetsInSeconds: number, shape: { ageSeconds?: number; origin?: 'headers' } = {}) =>
    aWindow('5h', 100, { resetsInSeconds, ...shape })
  it.for<
    readonly [
      name: string,
      windows: readonly QuotaWindow[],
      notStarted?: boolean,
      secondsAgo?: number | null,
    ]
  >([
    ['full, and no reset time', [fiveHour(100), rest], true],
    ['full, and all of its period to go', [full(18_000), rest], true],
    ['a minute less is within reading error', [full(17_940), rest], true],
    ['a second more than that has started', [full(17_939), rest]],
    [
      'read a while ago with all of its period to go then',
      [full(17_400, { ageSeconds: 600 }), rest],
      true,
    ],
    ['a tenth of a percent is used', [fiveHour(99.9), rest]],
    ['used up', [fiveHour(0), rest]],
    [
      'headers came with a request, which started it',
      [aWindow('5h', 100, { origin: 'headers' }), rest],
    ],
    ['also with all of its period to go', [full(18_000, { origin: 'headers' }), rest]],
    ['an error body too', [aWindow('5h', 100, { origin: 'error-body' }), rest]],
    ['a request succeeded since', [aWindow('5h', 100, { ageSeconds: 600 }), rest], false, 599],
    ['one succeeded before', [aWindow('5h', 100, { ageSeconds: 600 }), rest], true, 600],
    ['its reset passed', [aRolledOverWindow('5h', 60), rest], true],
    [
      'its reset passed and a request succeeded since',
      [aRolledOverWindow('5h', 60), rest],
      false,
      59,
    ],
    ['its reset passed after the last success', [aRolledOverWindow('5h', 60), rest], true, 60],
    [
      'the reset that passed was known from headers',
      [aRolledOverWindow('5h', 60, 'headers'), rest],
      true,
    ],
    ['nothing is known of it, whatever the week', [unknownWindow('5h'), week(100)]],
    ['the week has not started, but 5h meters', [fiveHour(50), week(100)]],
    ['5h absent: the week has not started', [anAbsentWindow('5h'), week(100)], true],
    [
      '5h absent: the week has all of its period to go',
      [anAbsentWindow('5h'), week(100, 604_740)],
      true,
    ],
    ['5h absent: the week has started', [anAbsentWindow('5h'), week(100, 604_739)]],
    ['5h absent: the week is used', [anAbsentWindow('5h'), week(97)]],
    ['both absent', [anAbsentWindow('5h'), anAbsentWindow('week')]],
  ])('$0', ([, windows, notStarted = false, secondsAgo = null]) => {
    const lastSuccessAt = secondsAgo === null ? null : fromNow(-secondsAgo)

    expect(hasNotStarted({ windows, lastSuccessAt })).toBe(notStarted)
    expect(scoreComponentsOf(input({ windows, lastSuccessAt })).load).toBe(notStarted ? 25 : 0)
  })
})

// 4 + round(6 × (percent − 50)/50 × (3600 − seconds)/3600)
it.each<readonly [percent: number, resetsInSeconds: number, points: number]>([
  [50, 3600, 4],
  [50, 1, 4],
  [100, 3600, 4],
  // 6 × 1 × 3599/3600 = 5.998
  [100, 1, 10],
  // 6 × 0.5 × 0.5 = 1.5
  [75, 1800, 6],
  // 6 × 0.2 × 0.8333 = 1
  [60, 600, 5],
  // 6 × 0.1 × 0.8 = 0.48
  [55, 720, 4],
])('reclaim: %d %% left with %d s to go earns %d', (percent, resetsInSeconds, points) => {
  expect(
    scoreComponentsOf(input({ reclaim: { id: '5h', percent, resetsInSeconds } })).reclaim,
  ).toBe(points)
})

it('nothing to reclaim earns nothing', () => {
  expect(scoreComponentsOf(input()).reclaim).toBe(0)
})

it.each<{
  readonly name: string
  readonly changes: Partial<ScoringInput>
  readonly components: readonly number[]
  readonly score: number
}>([
  { name: 'an ordinary Plus account', changes: {}, components: [27, 20, 1, 0, 0], score: 48 },
  {
    name: 'quota to reclaim',
    changes: {
      windows: [fiveHour(90, 1800), week(60, 302_400)],
      reclaim: { id: '5h', percent: 90, resetsInSeconds: 1800 },
    },
    components: [36, 20, 1, 0, 6],
    score: 63,
  },
])('$name', ({ changes, components, score }) => {
  const scored = scoreComponentsOf(input(changes))

  expect([scored.capacity, scored.health, scored.plan, scored.load, scored.reclaim]).toEqual(
    components,
  )
  expect(scoreOf(scored)).toBe(score)
})

it('pace is 1 where spending evenly lands on the reset', () => {
  expect(paceOf(meteredQuotasOf([fiveHour(50, 9000), week(25, 151_200)], 6), NOW)).toEqual({
    '5h': 1,
    week: 1,
  })
  expect(paceOf(meteredQuotasOf([fiveHour(50, 9000), unknownWindow('week')], 6), NOW)).toEqual({
    '5h': 1,
    week: null,
  })
  expect(paceOf(meteredQuotasOf([anAbsentWindow('5h'), week(25, 151_200)], 6), NOW)).toEqual({
    '5h': 1,
    week: 1,
  })
})

it.each([
  ['no reset', fiveHour(50), 1],
  ['all of it', fiveHour(50, 18_000), 1],
  ['more than all of it', fiveHour(50, 19_000), 1],
  ['half of it', fiveHour(50, 9000), 0.5],
  ['a hundredth', fiveHour(50, 180), 0.01],
  ['less than that', fiveHour(50, 1), 0.01],
  ['half a week', week(50, 302_400), 0.5],
])('the share of time left of a window with %s', (_, window, share) => {
  expect(timeShareLeft(window, NOW)).toBeCloseTo(share, 10)
})

describe('a policy of one’s own', () => {
  it.each([
    ['capacityMax', 60, { capacity: 40 }],
    ['fiveHourPaceFull', 6, { capacity: 21 }],
    ['weekPaceFull', 3, { capacity: 19 }],
    ['scarcePercent', 160, { capacity: 13 }],
    ['timeShareMin', 1, { capacity: 13 }],
    ['healthMax', 30, { health: 30 }],
    ['planMax', 10, { plan: 2 }],
    ['planWeightFull', 1, { plan: 5 }],
  ] as const)('%s = %d is honoured', (constant, value, expected) => {
    const usual = scoreComponentsOf(input())

    expect(scoreComponentsOf(input(), { ...scoringPolicy, [constant]: value })).toEqual({
      ...usual,
      ...expected,
    })
  })

  it.each<
    readonly [
      constant: keyof typeof scoringPolicy,
      value: number,
      changes: Partial<ScoringInput>,
      component: string,
      points: number,
    ]
  >([
    ['oneKnownFactor', 0.5, { windows: [unknownWindow('5h'), week(60, 302_400)] }, 'capacity', 16],
    ['noneKnownCapacity', 12, { windows: [] }, 'capacity', 12],
    ['untrackedPlanFactor', 0.6, { plan: 'free' }, 'capacity', 16],
    ['healthWarn', 13, { tone: 'warn' }, 'health', 13],
    ['healthUnknown', 9, { tone: 'unknown' }, 'health', 9],
    ['stalePenalty', 7, { windows: [aWindow('5h', 80, { stale: true })] }, 'health', 13],
    ['failurePenaltyMax', 10, { failureRatio: 1 }, 'health', 10],
    ['loadMax', 15, { windows: [fiveHour(100)] }, 'load', 15],
    ['notStartedSlackSeconds', 0, { windows: [fiveHour(100, 17_990)] }, 'load', 0],
    ['reclaimBase', 1, { reclaim: { id: '5h', percent: 75, resetsInSeconds: 1800 } }, 'reclaim', 3],
    [
      'reclaimRange',
      12,
      { reclaim: { id: '5h', percent: 75, resetsInSeconds: 1800 } },
      'reclaim',
      7,
    ],
  ])('$0 = $1 is honoured', (constant, value, changes, component, points) => {
    expect(
      scoreComponentsOf(input(changes), { ...scoringPolicy, [constant]: value }),
    ).toMatchObject({ [component]: points })
  })
})

it('a blocked account has no points anywhere', () => {
  expect(scoreOf(NO_SCORE)).toBe(0)
  expect(Object.values(NO_SCORE).every((points) => points === 0)).toBe(true)
})

describe('any routable account', () => {
  const percent = fc.integer({ min: 1, max: 1000 }).map((tenths) => tenths / 10)
  const anyWindow = (id: '5h' | 'week', period: number) =>
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          percent,
          resets: fc.option(fc.integer({ min: 1, max: period })),
          stale: fc.boolean(),
          ageSeconds: fc.nat(900),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          unknownWindow(id),
          anAbsentWindow(id),
          aRolledOverWindow(id, 60),
        ),
      },
    )
  const windowFrom = (
    id: '5h' | 'week',
    drawn:
      | QuotaWindow
      | { percent: number; resets: number | null; stale: boolean; ageSeconds: number },
  ) =>
    'state' in drawn
      ? drawn
      : aWindow(id, drawn.percent, {
          stale: drawn.stale,
          ageSeconds: drawn.ageSeconds,
          ...(drawn.resets === null ? {} : { resetsInSeconds: drawn.resets }),
        })
  const drawnInput = fc.record({
    fiveHour: anyWindow('5h', 18_000),
    week: anyWindow('week', 604_800),
    plan: fc.constantFrom('plus', 'team', 'prolite', 'pro', 'free', 'unknown'),
    tone: fc.constantFrom('good' as const, 'warn' as const, 'unknown' as const),
    failureRatio: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    lastSuccessAgo: fc.option(fc.nat(2000)),
    multiplier: fc.oneof(
      fc.constant('off' as const),
      fc.double({ min: 0.5, max: 20, noNaN: true }),
    ),
  })
  const inputFrom = ({
    fiveHour: five,
    week: weekly,
    lastSuccessAgo,
    ...rest
  }: typeof drawnInput extends fc.Arbitrary<infer Drawn> ? Drawn : never) => {
    const windows = [windowFrom('5h', five), windowFrom('week', weekly)]
    const reclaim: ReclaimWindow | null = reclaimWindowOf(windows, false, NOW)
    return input({
      ...rest,
      windows,
      reclaim,
      lastSuccessAt: lastSuccessAgo === null ? null : fromNow(-lastSuccessAgo),
    })
  }

  it('never loses points for having more left', () => {
    const more = fc.tuple(
      drawnInput,
      percent,
      fc.constantFrom('fiveHour' as const, 'week' as const),
    )
    fc.assert(
      fc.property(more, ([drawn, other, which]) => {
        const window = drawn[which]
        fc.pre(!('state' in window))
        const withPercent = (left: number) =>
          scoreOf(scoreComponentsOf(inputFrom({ ...drawn, [which]: { ...window, percent: left } })))

        expect(withPercent(Math.max(window.percent, other))).toBeGreaterThanOrEqual(
          withPercent(Math.min(window.percent, other)),
        )
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 1000 : 200 },
    )
  })
})

it('the most points of all components make the highest score', () => {
  expect(scoreMaximaOf()).toEqual({ capacity: 40, health: 20, plan: 5, load: 25, reclaim: 10 })
  expect(scoreOf(scoreMaximaOf())).toBe(100)
})
