import { describe, expect, it } from 'vitest'
import { type WeeklyToFiveHourMultiplier, windowQuotasOf } from '../account/account-quota.ts'
import { evaluateAccount } from '../account/evaluate-account.ts'
import type { EvaluatedAccount } from '../account/evaluated-account.ts'
import { defaultPolicy } from '../evaluate.ts'
import type { Account } from '../facts/account.ts'
import type { QuotaSample } from '../facts/reading.ts'
import { readStatusMessage } from '../facts/status-message.ts'
import {
  anAccount,
  aQuotaSample,
  aSnapshot,
  evidenceOf,
  fromNow,
  NOW,
} from '../testing/builders.ts'
import { capacityOf, isUsableUnknown } from './capacity.ts'

const evaluated = (
  name: string,
  sample: QuotaSample | null,
  changes: Partial<Account> = {},
): EvaluatedAccount =>
  evaluateAccount(
    anAccount(name, changes),
    sample === null ? null : evidenceOf([sample]),
    defaultPolicy,
    NOW,
  )

const read = (shape: Parameters<typeof aQuotaSample>[0] = {}, changes: Partial<Account> = {}) =>
  evaluated('a', aQuotaSample(shape), changes)

const under = (
  accounts: readonly EvaluatedAccount[],
  multiplier: WeeklyToFiveHourMultiplier,
): readonly EvaluatedAccount[] =>
  accounts.map((account) => ({ ...account, quota: windowQuotasOf(account.windows, multiplier) }))

/** Known and tracked units, and what else is not 0, as in `0.8 of 1, 0.8 stale`. */
function unitsOf(
  accounts: readonly EvaluatedAccount[],
  windowId: '5h' | 'week',
  multiplier: WeeklyToFiveHourMultiplier,
): string {
  const { trackedUnits, knownUnits, unknownUnits, staleUnits, exhaustedCount } = capacityOf(
    under(accounts, multiplier),
    windowId,
  )
  const more = { unknown: unknownUnits, stale: staleUnits, 'used up': exhaustedCount }
  return [
    `${knownUnits} of ${trackedUnits}`,
    ...Object.entries(more).flatMap(([word, units]) => (units === 0 ? [] : `${units} ${word}`)),
  ].join(', ')
}

const STALE = { ageSeconds: 901 }
const unauthorized = { message: readStatusMessage('unauthorized', NOW) }

describe('the units of one account', () => {
  it.for<
    readonly [
      why: string,
      account: EvaluatedAccount,
      fiveHour: string,
      week: string,
      multiplier?: WeeklyToFiveHourMultiplier,
    ]
  >([
    ['Plus 80 / 60', read(), '0.8 of 1', '0.6 of 1'],
    ['Team weighs as Plus', read({}, { claimedPlan: 'team' }), '0.8 of 1', '0.6 of 1'],
    ['Prolite weighs 5', read({}, { claimedPlan: 'prolite' }), '4 of 5', '3 of 5'],
    ['Pro weighs 20', read({}, { claimedPlan: 'pro' }), '16 of 20', '12 of 20'],
    ['an untracked plan weighs nothing', read({}, { claimedPlan: 'free' }), '0 of 0', '0 of 0'],
    // min(80, 10 × 6) = 60
    ['a nearly used week caps 5h', read({ week: 10 }), '0.6 of 1', '0.1 of 1'],
    ['by the multiplier', read({ week: 10 }), '0.2 of 1', '0.1 of 1', 2],
    ['off: not at all', read({ week: 10 }), '0.8 of 1', '0.1 of 1', 'off'],
    [
      'an exhausted week leaves nothing of either',
      read({ week: 0 }),
      '0 of 1',
      '0 of 1, 1 used up',
    ],
    ['off: neither', read({ week: 0 }), '0 of 1', '0 of 1, 1 used up', 'off'],
    [
      'an exhausted 5h window leaves the week',
      read({ fiveHour: 0 }),
      '0 of 1, 1 used up',
      '0.6 of 1',
    ],
    [
      'an absent 5h window takes the week’s value',
      read({ fiveHour: null }),
      '0.6 of 1',
      '0.6 of 1',
    ],
    ['an absent week takes the 5h value', read({ week: null }), '0.8 of 1', '0.8 of 1'],
    [
      'both absent count as unknown',
      read({ fiveHour: null, week: null }),
      '0 of 1, 1 unknown',
      '0 of 1, 1 unknown',
    ],
    [
      'an account nobody read is unknown, neither empty nor full',
      evaluated('a', null),
      '0 of 1, 1 unknown',
      '0 of 1, 1 unknown',
    ],
    [
      'one window unknown',
      evaluated('a', aQuotaSample({ fiveHour: null }, { unreadableWindowCount: 1 })),
      '0 of 1, 1 unknown',
      '0.6 of 1',
    ],
    [
      'an exhausted week leaves nothing even of an unknown 5h window',
      evaluated('a', aQuotaSample({ fiveHour: null, week: 0 }, { unreadableWindowCount: 1 })),
      '0 of 1',
      '0 of 1, 1 used up',
    ],
    [
      'stale readings are known and said to be stale',
      evaluated('a', aQuotaSample(STALE)),
      '0.8 of 1, 0.8 stale',
      '0.6 of 1, 0.6 stale',
    ],
    [
      'an absent 5h window is as stale as the week it takes',
      read({ fiveHour: null, ...STALE }),
      '0.6 of 1, 0.6 stale',
      '0.6 of 1, 0.6 stale',
    ],
    [
      'but no staler than that: headers may have read the week since',
      evaluateAccount(
        anAccount('a'),
        evidenceOf([
          aQuotaSample({ fiveHour: null, ...STALE }),
          aQuotaSample({ fiveHour: null }, { origin: 'headers' }),
        ]),
        defaultPolicy,
        NOW,
      ),
      '0.6 of 1',
      '0.6 of 1',
    ],
    [
      'a reset nobody confirmed is full and stale',
      read({ fiveHour: 0, fiveHourResetsInSeconds: -1, ageSeconds: 60 }),
      '1 of 1, 1 stale',
      '0.6 of 1',
    ],
    [
      'a dead login is tracked and worth nothing, but has used nothing up',
      read({}, unauthorized),
      '0 of 1',
      '0 of 1',
    ],
    ['also where nothing was read', evaluated('a', null, unauthorized), '0 of 1', '0 of 1'],
    [
      'a disabled account is not part of the pool',
      read({}, { operatorDisabled: true }),
      '0 of 0',
      '0 of 0',
    ],
    [
      'nor is a deactivated one',
      read({}, { message: readStatusMessage('payment_required', NOW) }),
      '0 of 0',
      '0 of 0',
    ],
    [
      'one that only waits keeps its quota',
      read({}, { unavailable: true, nextRetryAt: fromNow(60) }),
      '0.8 of 1',
      '0.6 of 1',
    ],
    [
      'limits of another scope are no capacity',
      evaluated(
        'a',
        aQuotaSample(
          {},
          {
            windows: [
              { id: 'extra:spark:week', periodSeconds: 604_800, percent: 100, resetAt: null },
            ],
          },
        ),
      ),
      '0 of 1, 1 unknown',
      '0 of 1, 1 unknown',
    ],
  ])('$0', ([, account, fiveHour, week, multiplier = 6]) => {
    expect(unitsOf([account], '5h', multiplier)).toEqual(fiveHour)
    expect(unitsOf([account], 'week', multiplier)).toEqual(week)
  })
})

it('a pool is the sum of its accounts', () => {
  const pool = [
    evaluated('plus', aQuotaSample()),
    evaluated('pro', aQuotaSample({ fiveHour: null, week: 25, ...STALE }), { claimedPlan: 'pro' }),
    evaluated('prolite', null, { claimedPlan: 'prolite' }),
    evaluated('dead', aQuotaSample(), unauthorized),
    evaluated('off', aQuotaSample(), { operatorDisabled: true }),
  ]

  // 5h: 0.8 + 20 × 0.25; week: 0.6 + 20 × 0.25
  expect(unitsOf(pool, '5h', 6)).toEqual('5.8 of 27, 5 unknown, 5 stale')
  expect(unitsOf(pool, 'week', 6)).toEqual('5.6 of 27, 5 unknown, 5 stale')
})

it('what is known is usable where its account is routable, and held elsewhere', () => {
  const waiting = { unavailable: true, nextRetryAt: fromNow(60) }
  const pool = [
    evaluated('plus', aQuotaSample()),
    evaluated('old', aQuotaSample(STALE), { claimedPlan: 'prolite' }),
    evaluated('waits', aQuotaSample(), { claimedPlan: 'pro', ...waiting }),
    evaluated('waits long', aQuotaSample({ ...STALE, week: 10 }), waiting),
    evaluated('used', aQuotaSample({ fiveHour: 0 })),
    evaluated('dead', aQuotaSample(), unauthorized),
  ]

  // 5h: 0.8 + 4 usable, 16 + 0.6 held; week: 0.6 + 3 usable, 12 + 0.1 + 0.6 held.
  expect(capacityOf(pool, '5h')).toMatchObject({
    knownUnits: expect.closeTo(21.4),
    usableUnits: 4.8,
    heldUnits: expect.closeTo(16.6),
    staleUnits: 4.6,
    usableStaleUnits: 4,
  })
  const week = capacityOf(pool, 'week')
  expect(week.usableUnits).toBeCloseTo(3.6)
  expect(week.heldUnits).toBeCloseTo(12.7)
  expect(week.usableUnits + week.heldUnits).toBeCloseTo(week.knownUnits)
})

it('many tenths never add up to more than there is', () => {
  const pool = Array.from({ length: 1000 }, (_, index) =>
    evaluated(`${index}`, aQuotaSample({ fiveHour: 100, week: 100 }, { plan: 'prolite' })),
  )

  expect(unitsOf(pool, '5h', 6)).toEqual('5000 of 5000')
})

describe('several files of one account', () => {
  const file = (name: string, changes: Partial<Account> = {}) =>
    anAccount(name, {
      selector: { authName: `${name}.json`, authIndex: name, accountKey: 'one' },
      ...changes,
    })

  it('count once, by the best-ranked file', () => {
    const { accounts, capacity } = aSnapshot([
      [file('old-plus'), evidenceOf([aQuotaSample({ fiveHour: 20, week: 20 })])],
      [
        file('new-pro', { claimedPlan: 'pro' }),
        evidenceOf([aQuotaSample({ fiveHour: 90, week: 90 })]),
      ],
    ])

    expect(
      accounts.map(({ selector, countedInCapacity }) => [selector.authName, countedInCapacity]),
    ).toEqual([
      ['new-pro.json', true],
      ['old-plus.json', false],
    ])
    expect([capacity['5h'].trackedUnits, capacity['5h'].knownUnits]).toEqual([20, 18])
  })

  it('are represented by the one in use when another is disabled or dead', () => {
    for (const unusable of [{ operatorDisabled: true }, unauthorized]) {
      const { capacity } = aSnapshot([
        [file('a-unusable', { ...unusable, claimedPlan: 'pro' }), evidenceOf([aQuotaSample()])],
        [file('b-in-use'), evidenceOf([aQuotaSample()])],
      ])

      expect([capacity.week.trackedUnits, capacity.week.knownUnits]).toEqual([1, 0.6])
    }
  })

  it('return their quota once', () => {
    const sample = evidenceOf([aQuotaSample({ fiveHour: 0, fiveHourResetsInSeconds: 600 })])

    expect(
      aSnapshot([
        [file('a'), sample],
        [file('b'), sample],
      ]).capacity['5h'].returns,
    ).toHaveLength(1)
  })
})

describe('the resets that return units', () => {
  const HOUR = 3600
  const DAY = 24 * HOUR
  const returnsOf = (
    accounts: readonly EvaluatedAccount[],
    windowId: '5h' | 'week',
    multiplier: WeeklyToFiveHourMultiplier = 6,
  ) =>
    capacityOf(under(accounts, multiplier), windowId)
      .returns.map(
        ({ at, units }) => `${Math.round(units * 1e6) / 1e6} in ${(at - NOW) / 3_600_000} h`,
      )
      .join(', ')
  const shape = (
    fiveHour: number | null,
    week: number | null,
    fiveHourReset: number | null = HOUR,
    weekReset: number | null = 3 * DAY,
  ) =>
    aQuotaSample({
      fiveHour,
      week,
      fiveHourResetsInSeconds: fiveHourReset,
      weekResetsInSeconds: weekReset,
    })

  it.for<
    readonly [
      why: string,
      sample: QuotaSample | null,
      fiveHour: string,
      week: string,
      changes?: Partial<Account>,
    ]
  >([
    ['each window’s own reset returns what is used', shape(20, 60), '0.8 in 1 h', '0.4 in 72 h'],
    ['in the units of the plan', shape(20, 60), '16 in 1 h', '8 in 72 h', { claimedPlan: 'pro' }],
    ['a full window gets nothing back', shape(100, 100), '', ''],
    [
      'a 5h reset behind an exhausted week returns nothing until the week resets',
      shape(30, 0),
      '1 in 72 h',
      '1 in 72 h',
    ],
    [
      'a week that resets first gives back what the 5h window holds',
      shape(30, 0, 2 * HOUR, HOUR),
      '0.3 in 1 h, 0.7 in 2 h',
      '1 in 1 h',
    ],
    [
      'a nearly used week caps what a 5h reset returns',
      shape(20, 10),
      '0.4 in 1 h, 0.4 in 72 h',
      '0.9 in 72 h',
    ],
    [
      'a 5h reset under a cap already reached returns nothing',
      shape(70, 10),
      '0.4 in 72 h',
      '0.9 in 72 h',
    ],
    [
      'an absent 5h window comes back with the week',
      shape(null, 25, null),
      '0.75 in 72 h',
      '0.75 in 72 h',
    ],
    [
      'an absent week comes back with the 5h window',
      shape(25, null, HOUR, null),
      '0.75 in 1 h',
      '0.75 in 1 h',
    ],
    ['an unknown reset returns nothing', shape(20, 60, null, null), '', ''],
    ['a week without a known reset keeps the 5h window empty', shape(30, 0, HOUR, null), '', ''],
    ['an account nobody read returns nothing', null, '', ''],
    ['nor does a dead login', shape(20, 60), '', '', unauthorized],
    ['nor a disabled account', shape(20, 60), '', '', { operatorDisabled: true }],
    ['nor an untracked plan', shape(20, 60), '', '', { claimedPlan: 'free' }],
  ])('$0', ([, sample, fiveHour, week, changes = {}]) => {
    const account = evaluated('a', sample, changes)

    expect(returnsOf([account], '5h')).toEqual(fiveHour)
    expect(returnsOf([account], 'week')).toEqual(week)
  })

  it('off: the 5h reset returns all of it', () => {
    expect(returnsOf([evaluated('a', shape(20, 10))], '5h', 'off')).toBe('0.8 in 1 h')
  })

  it('come soonest first, then the larger, then by name; the first is the next return', () => {
    const pool = [
      evaluated('b', shape(20, 60, HOUR)),
      evaluated('a', shape(20, 60, HOUR)),
      evaluated('late', shape(20, 60, 2 * HOUR)),
      evaluated('pro', shape(20, 60, HOUR), { claimedPlan: 'pro' }),
    ]
    const names = capacityOf(pool, '5h').returns.map(({ title }) => title)

    expect(names).toEqual(['pro@example.com', 'a@example.com', 'b@example.com', 'late@example.com'])
  })
})

it.each<readonly [what: string, capacity: object, routableCount: number, expected: boolean]>([
  ['all was read, and nothing is usable', {}, 2, false],
  ['nothing was read', { unknownUnits: 4 }, 0, true],
  ['nothing is tracked', { trackedUnits: 0 }, 2, true],
  ['nothing of what was read is usable', { unknownUnits: 1 }, 1, true],
  ['and no account is routable, so that nothing is usable', { unknownUnits: 1 }, 0, false],
  ['something of what was read is usable', { unknownUnits: 3, usableUnits: 0.1 }, 1, false],
  ['a plan was never read', { unweighedShare: 0.1 }, 1, true],
  ['an answer says only that it is a lower bound', { atLeast: true }, 1, true],
])('whether what is usable is unknown: %s', (_, changes, routableCount, expected) => {
  const capacity = { usableUnits: 0, unknownUnits: 0, trackedUnits: 4, ...changes }
  expect(isUsableUnknown(capacity, routableCount)).toBe(expected)
})
