import { HOUR_MS, plusMs, type QuotaWindow, type ScoreComponents } from '@svc/core'
import { NO_SCORE } from '@svc/core/account'
import { anAbsentWindow, NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import {
  aBlockedAccount,
  anEvaluatedAccount,
  knownWindow,
  unknownWindow,
} from '../testing/snapshots.ts'
import { reasonsIn, scoreParts } from './score.ts'
import { createWording } from './wording.ts'

const text = createWording('Asia/Shanghai')

const WEEK = 604_800
const FIVE_HOURS = 18_000

describe('the capacity sentence', () => {
  const cases: readonly (readonly [string, readonly QuotaWindow[], string])[] = [
    [
      'a week ahead of its time',
      [knownWindow('5h', 60, FIVE_HOURS), knownWindow('week', 38, 0.2 * WEEK)],
      '38% of the week left, 20% of its time: use it before the reset',
    ],
    [
      'a 5h window further ahead than the week',
      [knownWindow('5h', 74, 0.1 * FIVE_HOURS), knownWindow('week', 38, 0.2 * WEEK)],
      '74% of the 5h window left, 10% of its time: use it before the reset',
    ],
    [
      'both equally far: the week, which costs more to lose',
      [knownWindow('5h', 50, FIVE_HOURS), knownWindow('week', 50, WEEK)],
      '50% of the week left, 100% of its time: spend it slowly',
    ],
    [
      'exactly on time',
      [unknownWindow('5h'), knownWindow('week', 50, WEEK / 2)],
      '50% of the week left, 50% of its time: on pace',
    ],
    [
      'a tenth of its time ahead, which needs no advice',
      [unknownWindow('5h'), knownWindow('week', 55, WEEK / 2)],
      '55% of the week left, 50% of its time: on pace',
    ],
    [
      'more than that',
      [unknownWindow('5h'), knownWindow('week', 56, WEEK / 2)],
      '56% of the week left, 50% of its time: use it before the reset',
    ],
    [
      'no reset time',
      [knownWindow('5h', 100, null), unknownWindow('week')],
      '100% of the 5h window left',
    ],
    [
      'a plan without a 5h window',
      [anAbsentWindow('5h'), knownWindow('week', 0.4, 0.9 * WEEK)],
      '<1% of the week left, 90% of its time: spend it slowly',
    ],
    [
      'a monthly window beside two the plan does not have',
      [
        anAbsentWindow('5h'),
        anAbsentWindow('week'),
        { ...knownWindow('week', 41.2, 12 * 86_400), id: 'month' },
      ],
      'Only its monthly quota is known: 41% left',
    ],
    [
      'a monthly window beside two that could not be read',
      [
        unknownWindow('5h'),
        unknownWindow('week'),
        { ...knownWindow('week', 0.4, 12 * 86_400), id: 'month' },
      ],
      'Only its monthly quota is known: <1% left',
    ],
    [
      'neither window in its reading',
      [anAbsentWindow('5h'), anAbsentWindow('week')],
      'Its last reading shows neither a 5h nor a weekly window',
    ],
  ]

  it.each(cases)('%s', (_, windows, expected) => {
    expect(reasonsFor({ capacity: 10 }, { windows })).toEqual([expected])
  })

  it('nothing read', () => {
    expect(
      reasonsFor(
        { capacity: 10 },
        { windows: [unknownWindow('5h'), unknownWindow('week')], lastSample: null },
      ),
    ).toEqual(['No reading of its quota yet'])
  })

  it('says why an untracked plan scores low', () => {
    const windows = [anAbsentWindow('5h'), knownWindow('week', 38, 0.2 * WEEK)]
    expect(reasonsFor({ capacity: 5 }, { windows, plan: 'free', capacityWeight: 0 })).toEqual([
      '38% of the week left, 20% of its time: use it before the reset; counts 30%, because Free is not a tracked plan',
    ])
  })
})

describe('the sentences of a plan that nobody has asked for', () => {
  const windows = [anAbsentWindow('5h'), knownWindow('week', 38, 0.2 * WEEK)]
  const claude = { ...anEvaluatedAccount('a').account, provider: 'claude' }
  const sentences = (scoredPlan: string) =>
    reasonsFor(
      { capacity: 5, plan: 2 },
      { windows, account: claude, plan: 'unknown', capacityWeight: 0, scoredPlan },
    )

  it('name the usual one of its pool', () => {
    expect(sentences('max_5x')).toEqual([
      '38% of the week left, 20% of its time: use it before the reset',
      'Plan not asked for yet; counts as Max 5x, like most of its pool',
    ])
    expect(sentences('team')[0]).toContain('; counts 30%, because Team is not a tracked plan')
  })
})

describe('the health sentence', () => {
  it.for<readonly [why: string, expected: string, failureRatio?: number | null, stale?: boolean]>([
    ['in order', 'Active'],
    ['no failures among enough requests', 'Active', 0],
    ['failures', 'Active, but 13% of its latest requests failed', 0.125],
    ['old', 'Active, but its reading is old', null, true],
    [
      'old and failing',
      'Active, but its reading is old and <1% of its latest requests failed',
      0.001,
      true,
    ],
  ])('$0', ([, expected, failureRatio = null, stale = false]) => {
    const windows = [knownWindow('5h', 50, 60, { stale }), knownWindow('week', 50, 60)]
    expect(reasonsFor({ health: 20 }, { windows, failureRatio })).toEqual([expected])
  })

  it('joins what is bad to what is bad', () => {
    const status = { kind: 'degraded', tone: 'warn', until: null } as const
    expect(reasonsFor({ health: 11 }, { status, failureRatio: 0.38 })).toEqual([
      'Degraded, and 38% of its latest requests failed',
    ])
  })

  it('uses the word of the state', () => {
    expect(
      reasonsFor({ health: 11 }, { status: { kind: 'degraded', tone: 'warn', until: null } }),
    ).toEqual(['Degraded'])
  })
})

it('every other component has its sentence', () => {
  expect(reasonsFor({ plan: 5 }, { plan: 'pro', capacityWeight: 20 })).toEqual([
    'Pro: 20 Plus units',
  ])
  expect(reasonsFor({ plan: 1 })).toEqual(['Plus: 1 Plus unit'])
  expect(reasonsFor({ load: 25 })).toEqual(['5h window not started; the next request starts it'])
  expect(
    reasonsFor({ load: 25 }, { windows: [anAbsentWindow('5h'), knownWindow('week', 100, null)] }),
  ).toEqual(['Weekly window not started; the next request starts it'])
  expect(
    reasonsFor({ reclaim: 7 }, { reclaim: { id: '5h', percent: 74, resetsInSeconds: 2940 } }),
  ).toEqual(['74% of its 5h quota expires in 49min'])
})

it('a component that moved nothing has no sentence, and a blocked account has none at all', () => {
  expect(reasonsFor({})).toEqual([])
  expect(reasonsIn(scoreParts(aBlockedAccount('a', 'cooldown', {}), NOW, text))).toEqual([])
})

function reasonsFor(
  components: Partial<ScoreComponents>,
  changes: Parameters<typeof anEvaluatedAccount>[1] = {},
): readonly string[] {
  return reasonsIn(
    scoreParts(
      anEvaluatedAccount('a', { scoreComponents: { ...NO_SCORE, ...components }, ...changes }),
      NOW,
      text,
    ),
  )
}

it('parts are worded again only at another time or in another language', () => {
  const week = knownWindow('week', 38, 0.2 * WEEK)
  const account = anEvaluatedAccount('a', { windows: [unknownWindow('5h'), week] })
  const parts = scoreParts(account, NOW, text)
  expect(scoreParts(account, NOW, text)).toBe(parts)
  const later = scoreParts(account, plusMs(NOW, 60 * HOUR_MS), text)
  expect(later).not.toEqual(parts)
  const chinese = createWording('Asia/Shanghai', 'zh-CN')
  expect(scoreParts(account, plusMs(NOW, 60 * HOUR_MS), chinese)).not.toEqual(later)
})
