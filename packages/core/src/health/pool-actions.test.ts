import { describe, expect, it } from 'vitest'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf } from '../testing/builders.ts'
import { type HealthThresholds, poolActions, thresholdActions } from './pool-actions.ts'

const fine = [anAccount('fine'), evidenceOf([aQuotaSample()])] as const

describe('thresholds', () => {
  // 5h 0.8, week 0.6, one routable account.
  const none: HealthThresholds = { fiveHourMinUnits: null, weeklyMinUnits: null, routableMin: null }
  it.each<readonly [thresholds: Partial<HealthThresholds>, expected: readonly unknown[]]>([
    [{}, []],
    [{ fiveHourMinUnits: 0.8 }, []],
    [
      { fiveHourMinUnits: 0.81 },
      [{ code: 'five_hour_below_minimum', knownUnits: 0.8, minimumUnits: 0.81 }],
    ],
    [{ weeklyMinUnits: 0.6 }, []],
    [
      { weeklyMinUnits: 0.61 },
      [{ code: 'weekly_below_minimum', knownUnits: 0.6, minimumUnits: 0.61 }],
    ],
    [{ routableMin: 1 }, []],
    [{ routableMin: 2 }, [{ code: 'routable_below_minimum', routableCount: 1, minimumCount: 2 }]],
  ])('%j', (thresholds, expected) => {
    const actions = thresholdActions(aSnapshot([fine]), { ...none, ...thresholds })

    expect(actions).toEqual(expected.map((action) => ({ tone: 'bad', action })))
  })

  it('are not raised for quota that is merely not read yet', () => {
    const unread = aSnapshot([[anAccount('unread'), null]])

    expect(thresholdActions(unread, { ...none, fiveHourMinUnits: 1, weeklyMinUnits: 1 })).toEqual(
      [],
    )
    expect(thresholdActions(unread, { ...none, fiveHourMinUnits: 1.01 })).toHaveLength(1)
  })

  it('reach the snapshot through the policy', () => {
    expect(aSnapshot([fine], {}, { thresholds: { ...none, routableMin: 2 } }).health).toMatchObject(
      {
        state: 'bad',
        actions: [{ action: { code: 'routable_below_minimum' } }],
      },
    )
  })

  it('wait for the first account list', () => {
    const unread = aSnapshot([], {
      accountList: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null },
    })

    expect(
      thresholdActions(unread, { fiveHourMinUnits: 1, weeklyMinUnits: 1, routableMin: 1 }),
    ).toEqual([])
  })
})

describe('little quota left', () => {
  /** Ten Plus accounts: one with this much left, some of which nothing is known, the rest used up. */
  const lowWith = (percent: number, unknownCount: number) =>
    poolActions(
      aSnapshot([
        [anAccount('last'), evidenceOf([aQuotaSample({ fiveHour: 100, week: percent })])],
        ...Array.from({ length: 9 }, (_, index) => {
          const used = aQuotaSample({ week: 0, weekResetsInSeconds: 9_000 })
          return [anAccount(`${index}`), index < unknownCount ? null : evidenceOf([used])] as const
        }),
      ]),
    ).flatMap(({ tone, action }) =>
      action.code === 'capacity_low' ? [`${tone} ${action.windowId}`] : [],
    )

  it.each([
    { why: '10 % are enough', percent: 100, unknownCount: 0, low: [] },
    { why: 'less than 10 % are not', percent: 99.9, unknownCount: 0, low: ['warn week'] },
    {
      why: 'a nearly used week leaves little of the 5h window too',
      percent: 10,
      unknownCount: 0,
      low: ['warn 5h', 'warn week'],
    },
    { why: 'a fifth may be unknown', percent: 50, unknownCount: 2, low: ['warn week'] },
    { why: 'more than that could be full', percent: 50, unknownCount: 3, low: [] },
  ])('$why', ({ percent, unknownCount, low }) => {
    expect(lowWith(percent, unknownCount)).toEqual(low)
  })

  it('says nothing of its own once no account can be used, before the first list, and of an untracked pool', () => {
    const used = evidenceOf([aQuotaSample({ week: 0, weekResetsInSeconds: 9_000 })])

    expect(poolActions(aSnapshot([[anAccount('a'), used]]))).toEqual([])
    expect(
      poolActions(
        aSnapshot([], {
          accountList: { outcome: { kind: 'pending' }, failuresInARow: 0, lastGood: null },
        }),
      ),
    ).toEqual([])
    expect(
      poolActions(
        aSnapshot([[anAccount('free', { claimedPlan: 'free' }), evidenceOf([aQuotaSample()])]]),
      ),
    ).toEqual([])
  })
})
