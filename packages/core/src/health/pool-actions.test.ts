import { describe, expect, it } from 'vitest'
import { anAccount, aQuotaSample, aSnapshot, evidenceOf } from '../testing/builders.ts'
import { type HealthThresholds, thresholdActions } from './pool-actions.ts'

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
