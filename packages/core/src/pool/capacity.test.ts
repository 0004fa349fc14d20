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
import { capacityOf } from './capacity.ts'

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

const under = (
  accounts: readonly EvaluatedAccount[],
  multiplier: WeeklyToFiveHourMultiplier,
): readonly EvaluatedAccount[] =>
  accounts.map((account) => ({ ...account, quota: windowQuotasOf(account.windows, multiplier) }))

type Units = readonly [
  tracked: number,
  known: number,
  unknown: number,
  stale: number,
  exhaustedCount: number,
]

function unitsOf(
  accounts: readonly EvaluatedAccount[],
  windowId: '5h' | 'week',
  multiplier: WeeklyToFiveHourMultiplier,
): Units {
  const { trackedUnits, knownUnits, unknownUnits, staleUnits, exhaustedCount } = capacityOf(
    under(accounts, multiplier),
    windowId,
  )
  return [trackedUnits, knownUnits, unknownUnits, staleUnits, exhaustedCount]
}

const STALE = { ageSeconds: 901 }
const unauthorized = { message: readStatusMessage('unauthorized', NOW) }

describe('the units of one account', () => {
  it.each<
    readonly [
      why: string,
      account: EvaluatedAccount,
      multiplier: WeeklyToFiveHourMultiplier,
      fiveHour: Units,
      week: Units,
    ]
  >([
    ['Plus 80 / 60', evaluated('a', aQuotaSample()), 6, [1, 0.8, 0, 0, 0], [1, 0.6, 0, 0, 0]],
    [
      'Team weighs as Plus',
      evaluated('a', aQuotaSample(), { claimedPlan: 'team' }),
      6,
      [1, 0.8, 0, 0, 0],
      [1, 0.6, 0, 0, 0],
    ],
    [
      'Prolite weighs 5',
      evaluated('a', aQuotaSample(), { claimedPlan: 'prolite' }),
      6,
      [5, 4, 0, 0, 0],
      [5, 3, 0, 0, 0],
    ],
    [
      'Pro weighs 20',
      evaluated('a', aQuotaSample(), { claimedPlan: 'pro' }),
      6,
      [20, 16, 0, 0, 0],
      [20, 12, 0, 0, 0],
    ],
    [
      'an untracked plan weighs nothing',
      evaluated('a', aQuotaSample(), { claimedPlan: 'free' }),
      6,
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ],

    // min(80, 10 × 6) = 60
    [
      'a nearly used week caps 5h',
      evaluated('a', aQuotaSample({ week: 10 })),
      6,
      [1, 0.6, 0, 0, 0],
      [1, 0.1, 0, 0, 0],
    ],
    [
      'by the multiplier',
      evaluated('a', aQuotaSample({ week: 10 })),
      2,
      [1, 0.2, 0, 0, 0],
      [1, 0.1, 0, 0, 0],
    ],
    [
      'off: not at all',
      evaluated('a', aQuotaSample({ week: 10 })),
      'off',
      [1, 0.8, 0, 0, 0],
      [1, 0.1, 0, 0, 0],
    ],
    [
      'an exhausted week leaves nothing of either',
      evaluated('a', aQuotaSample({ week: 0 })),
      6,
      [1, 0, 0, 0, 1],
      [1, 0, 0, 0, 1],
    ],
    [
      'off: neither',
      evaluated('a', aQuotaSample({ week: 0 })),
      'off',
      [1, 0, 0, 0, 1],
      [1, 0, 0, 0, 1],
    ],
    [
      'an exhausted 5h window leaves the week',
      evaluated('a', aQuotaSample({ fiveHour: 0 })),
      6,
      [1, 0, 0, 0, 1],
      [1, 0.6, 0, 0, 0],
    ],

    [
      'an absent 5h window takes the week’s value',
      evaluated('a', aQuotaSample({ fiveHour: null })),
      6,
      [1, 0.6, 0, 0, 0],
      [1, 0.6, 0, 0, 0],
    ],
    [
      'an absent week takes the 5h value',
      evaluated('a', aQuotaSample({ week: null })),
      6,
      [1, 0.8, 0, 0, 0],
      [1, 0.8, 0, 0, 0],
    ],
    [
      'both absent count as unknown',
      evaluated('a', aQuotaSample({ fiveHour: null, week: null })),
      6,
      [1, 0, 1, 0, 0],
      [1, 0, 1, 0, 0],
    ],
    [
      'an account nobody read is unknown, neither empty nor full',
      evaluated('a', null),
      6,
      [1, 0, 1, 0, 0],
      [1, 0, 1, 0, 0],
    ],
    [
      'one window unknown',
      evaluated('a', aQuotaSample({ fiveHour: null }, { unreadableWindowCount: 1 })),
      6,
      [1, 0, 1, 0, 0],
      [1, 0.6, 0, 0, 0],
    ],
    [
      'an exhausted week leaves nothing even of an unknown 5h window',
      evaluated('a', aQuotaSample({ fiveHour: null, week: 0 }, { unreadableWindowCount: 1 })),
      6,
      [1, 0, 0, 0, 1],
      [1, 0, 0, 0, 1],
    ],

    [
      'stale readings are known and said to be stale',
      evaluated('a', aQuotaSample(STALE)),
      6,
      [1, 0.8, 0, 0.8, 0],
      [1, 0.6, 0, 0.6, 0],
    ],
    [
      'an absent 5h window is as stale as the week it takes',
      evaluated('a', aQuotaSample({ fiveHour: null, ...STALE })),
      6,
      [1, 0.6, 0, 0.6, 0],
      [1, 0.6, 0, 0.6, 0],
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
      6,
      [1, 0.6, 0, 0, 0],
      [1, 0.6, 0, 0, 0],
    ],
    [
      'a reset nobody confirmed is full and stale',
      evaluated('a', aQuotaSample({ fiveHour: 0, fiveHourResetsInSeconds: -1, ageSeconds: 60 })),
      6,
      [1, 1, 0, 1, 0],
      [1, 0.6, 0, 0, 0],
    ],

    [
      'a dead login is tracked and worth nothing, but has used nothing up',
      evaluated('a', aQuotaSample(), unauthorized),
      6,
      [1, 0, 0, 0, 0],
      [1, 0, 0, 0, 0],
    ],
    [
      'also where nothing was read',
      evaluated('a', null, unauthorized),
      6,
      [1, 0, 0, 0, 0],
      [1, 0, 0, 0, 0],
    ],
    [
      'a disabled account is not part of the pool',
      evaluated('a', aQuotaSample(), { operatorDisabled: true }),
      6,
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ],
    [
      'nor is a deactivated one',
      evaluated('a', aQuotaSample(), { message: readStatusMessage('payment_required', NOW) }),
      6,
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
    ],
    [
      'one that only waits keeps its quota',
      evaluated('a', aQuotaSample(), { unavailable: true, nextRetryAt: fromNow(60) }),
      6,
      [1, 0.8, 0, 0, 0],
      [1, 0.6, 0, 0, 0],
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
      6,
      [1, 0, 1, 0, 0],
      [1, 0, 1, 0, 0],
    ],
  ])('%s', (_, account, multiplier, fiveHour, week) => {
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
  expect(unitsOf(pool, '5h', 6)).toEqual([27, 5.8, 5, 5, 0])
  expect(unitsOf(pool, 'week', 6)).toEqual([27, 5.6, 5, 5, 0])
})

it('many tenths never add up to more than there is', () => {
  const pool = Array.from({ length: 1000 }, (_, index) =>
    evaluated(`${index}`, aQuotaSample({ fiveHour: 100, week: 100 }, { plan: 'prolite' })),
  )

  expect(unitsOf(pool, '5h', 6)).toEqual([5000, 5000, 0, 0, 0])
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
    capacityOf(under(accounts, multiplier), windowId).returns.map(({ at, units }) => [
      (at - NOW) / 1000,
      Math.round(units * 1e6) / 1e6,
    ])
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

  it.each<
    readonly [
      why: string,
      sample: QuotaSample | null,
      changes: Partial<Account>,
      fiveHour: readonly (readonly number[])[],
      week: readonly (readonly number[])[],
    ]
  >([
    [
      'each window’s own reset returns what is used',
      shape(20, 60),
      {},
      [[HOUR, 0.8]],
      [[3 * DAY, 0.4]],
    ],
    [
      'in the units of the plan',
      shape(20, 60),
      { claimedPlan: 'pro' },
      [[HOUR, 16]],
      [[3 * DAY, 8]],
    ],
    ['a full window gets nothing back', shape(100, 100), {}, [], []],
    [
      // Effective 5h: 0 until the week resets; by then the 5h window itself has reset.
      'a 5h reset behind an exhausted week returns nothing until the week resets',
      shape(30, 0),
      {},
      [[3 * DAY, 1]],
      [[3 * DAY, 1]],
    ],
    [
      // The week comes back first, and the 5h window with what it has: 30 %; then the rest.
      'a week that resets first gives back what the 5h window holds',
      shape(30, 0, 2 * HOUR, HOUR),
      {},
      [
        [HOUR, 0.3],
        [2 * HOUR, 0.7],
      ],
      [[HOUR, 1]],
    ],
    [
      // Week 10 % caps 5h at 60 %: the 5h reset brings 20 → 60, the week's the remaining 40.
      'a nearly used week caps what a 5h reset returns',
      shape(20, 10),
      {},
      [
        [HOUR, 0.4],
        [3 * DAY, 0.4],
      ],
      [[3 * DAY, 0.9]],
    ],
    [
      'a 5h reset under a cap already reached returns nothing',
      shape(70, 10),
      {},
      [[3 * DAY, 0.4]],
      [[3 * DAY, 0.9]],
    ],
    [
      'an absent 5h window comes back with the week',
      shape(null, 25, null),
      {},
      [[3 * DAY, 0.75]],
      [[3 * DAY, 0.75]],
    ],
    [
      'an absent week comes back with the 5h window',
      shape(25, null, HOUR, null),
      {},
      [[HOUR, 0.75]],
      [[HOUR, 0.75]],
    ],
    ['an unknown reset returns nothing', shape(20, 60, null, null), {}, [], []],
    [
      'a week without a known reset keeps the 5h window empty',
      shape(30, 0, HOUR, null),
      {},
      [],
      [],
    ],
    ['an account nobody read returns nothing', null, {}, [], []],
    ['nor does a dead login', shape(20, 60), unauthorized, [], []],
    ['nor a disabled account', shape(20, 60), { operatorDisabled: true }, [], []],
    ['nor an untracked plan', shape(20, 60), { claimedPlan: 'free' }, [], []],
  ])('%s', (_, sample, changes, fiveHour, week) => {
    const account = evaluated('a', sample, changes)

    expect(returnsOf([account], '5h')).toEqual(fiveHour)
    expect(returnsOf([account], 'week')).toEqual(week)
  })

  it('off: the 5h reset returns all of it', () => {
    expect(returnsOf([evaluated('a', shape(20, 10))], '5h', 'off')).toEqual([[HOUR, 0.8]])
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
