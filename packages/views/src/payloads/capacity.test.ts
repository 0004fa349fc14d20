import type { OpenAction } from '@svc/core/health'
import type { WindowCapacity } from '@svc/core/pool'
import { fromNow, NOW } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { roundedUnits } from '../format/format.ts'
import { anOpenAction, aPoolCapacity, aSnapshot, statusContext } from '../testing/snapshots.ts'
import { firstRoundView, leftUnitsView } from './capacity.ts'
import { statusView } from './status.ts'

describe('capacity', () => {
  const low = anOpenAction({
    tone: 'bad',
    action: { code: 'five_hour_below_minimum', knownUnits: 16.1, minimumUnits: 20 },
  })

  const ofAnother = anOpenAction({
    tone: 'bad',
    action: {
      code: 'capacity_low',
      windowId: '5h',
      knownUnits: 1,
      trackedUnits: 41,
      provider: 'claude',
    },
  })

  const little = anOpenAction({
    tone: 'warn',
    action: {
      code: 'capacity_low',
      provider: 'codex',
      windowId: '5h',
      knownUnits: 16.1,
      trackedUnits: 41,
    },
  })

  it.for<
    readonly [
      why: string,
      changes: Partial<WindowCapacity>,
      expected: object,
      actions?: readonly OpenAction[],
    ]
  >([
    ['in order', {}, { percent: 39.3, tone: 'good', text: '16.1 of 41 Plus usable' }],
    [
      'plans that were never read',
      { trackedUnits: 0, knownUnits: 0, unweighedShare: 1 },
      { atLeast: true, percent: null, tone: 'unknown', text: 'unknown' },
    ],
    [
      'plans that were read in part',
      { unweighedShare: 0.3 },
      { atLeast: true, percent: null, text: 'At least 16.1 of 41 Plus usable' },
    ],
    ['full', { knownUnits: 41 }, { percent: 100, tone: 'good', text: '41.0 of 41 Plus usable' }],
    ['nothing left', { knownUnits: 0 }, { percent: 0, tone: 'bad', text: '0.0 of 41 Plus usable' }],
    [
      'a sliver',
      { knownUnits: 0.001 },
      { percent: 0, tone: 'warn', text: '<0.1 of 41 Plus usable' },
    ],
    [
      'in parts unknown',
      { unknownUnits: 2 },
      { tone: 'good', text: '16.1 of 41 Plus usable, 2.0 unknown' },
    ],
    [
      'a fifth unknown',
      { trackedUnits: 40, unknownUnits: 8 },
      { percent: 40.3, text: '16.1 of 40 Plus usable, 8.0 unknown' },
    ],
    [
      'more than a fifth unknown',
      { trackedUnits: 40, unknownUnits: 8.1 },
      { percent: null, atLeast: true, text: 'At least 16.1 of 40 Plus usable, 8.1 unknown' },
    ],
    ['unknown', { knownUnits: 0, unknownUnits: 41 }, { tone: 'unknown' }],
    ['stale in part', { staleUnits: 16 }, { tone: 'good', staleUnits: 16 }],
    ['stale throughout', { staleUnits: 16.1 }, { tone: 'warn' }],
    [
      'in part held by blocked accounts',
      { knownUnits: 17.1, usableUnits: 16.1, heldUnits: 1 },
      {
        knownUnits: 17.1,
        usableUnits: 16.1,
        heldUnits: 1,
        percent: 41.7,
        usablePercent: 39.3,
        tone: 'good',
        text: '16.1 of 41 Plus usable, 1.0 held',
      },
    ],
    [
      'all of it held',
      { knownUnits: 1.8, usableUnits: 0, heldUnits: 1.8 },
      { usablePercent: 0, tone: 'bad', text: '0.0 of 41 Plus usable, 1.8 held' },
    ],
    ['a tenth', { trackedUnits: 40, knownUnits: 4 }, { tone: 'good' }],
    ['less than a tenth', { trackedUnits: 40, knownUnits: 3.99 }, { tone: 'warn' }],
    [
      'less than a tenth to use',
      { knownUnits: 40, usableUnits: 4.09, heldUnits: 35.91 },
      { tone: 'warn' },
    ],
    [
      'less than a tenth of what is read of it',
      { knownUnits: 4.09, unknownUnits: 20 },
      { tone: 'good' },
    ],
    [
      'stale in what is held alone',
      { usableUnits: 10, heldUnits: 6.1, staleUnits: 6.1, usableStaleUnits: 0 },
      { tone: 'good', staleUnits: 6.1, usableStaleUnits: 0 },
    ],
    ['below the minimum', {}, { tone: 'bad' }, [low]],
    ['low at another provider alone', {}, { tone: 'good' }, [ofAnother]],
    ['as low as a warning says', {}, { tone: 'warn' }, [little]],
    ['as the worst action says', {}, { tone: 'bad' }, [little, low]],
    ['sums with endless digits', { knownUnits: 0.1 + 0.2 }, { knownUnits: 0.3 }],
  ])('$0', ([, changes, expected, actions = []]) => {
    const base = aSnapshot([])
    const capacity = aPoolCapacity({ '5h': changes })
    const view = statusView(
      { ...base, capacity, health: { ...base.health, actions } },
      statusContext,
    )

    expect(view.summary.fiveHour).toMatchObject(expected)
    expect(view.tabs.pool.windows[0]).toMatchObject(expected)
  })

  it.each([
    [0, { tone: 'bad', text: '0.0 of 41 Plus usable, 2.0 held, 20.0 unknown' }],
    [3, { tone: 'unknown', text: 'unknown of 41 Plus usable, 2.0 held, 20.0 unknown' }],
  ])('nothing usable of what was read, with %i routable accounts', (routableCount, expected) => {
    const changes = { knownUnits: 2, usableUnits: 0, heldUnits: 2, unknownUnits: 20 }
    const capacity = aPoolCapacity({ '5h': changes })
    const view = statusView({ ...aSnapshot([]), capacity, routableCount }, statusContext)

    expect(view.summary.fiveHour).toMatchObject(expected)
  })

  it('is two parts that add up to the last digit', () => {
    const units = fc.double({ min: 0, max: 600, noNaN: true })
    fc.assert(
      fc.property(units, units, (usableUnits, heldUnits) => {
        const view = leftUnitsView({ knownUnits: usableUnits + heldUnits, usableUnits })

        expect(view.heldUnits).toBeGreaterThanOrEqual(0)
        expect(roundedUnits(view.usableUnits + view.heldUnits)).toBe(view.knownUnits)
      }),
    )
  })

  it("an action about one window leaves the other's tone alone", () => {
    const base = aSnapshot([])

    expect(
      statusView({ ...base, health: { ...base.health, actions: [low] } }, statusContext).summary
        .weekly.tone,
    ).toBe('good')
    expect(
      statusView({ ...base, health: { ...base.health, actions: [little] } }, statusContext).summary
        .weekly.tone,
    ).toBe('good')
  })
})

it.each([
  [312, 1_997, fromNow(1_380), 'Reading 312 of 1,997 accounts, done about 20:23'],
  [0, 1, null, 'Reading 0 of 1 account'],
])('the first round has read %i of %i', (readCount, toReadCount, doneAt, said) => {
  const firstRound = { readCount, toReadCount, doneAt, seenFrom: { at: NOW, readCount: 0 } }

  expect(firstRoundView(aSnapshot([], { firstRound }), statusContext.text)).toEqual({
    accountsRead: readCount,
    accountsToRead: toReadCount,
    doneAt: doneAt === null ? null : '2026-11-20T12:23:00.000Z',
    text: said,
  })
})
