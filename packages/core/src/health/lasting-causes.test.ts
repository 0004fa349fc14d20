import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plusMs } from '../facts/time.ts'
import { NOW } from '../testing/builders.ts'
import type { ToneAction } from './health-actions.ts'
import { type LastingCause, lastingCauses, openCauses } from './lasting-causes.ts'

const low = (knownUnits = 3, windowId: '5h' | 'week' = '5h'): ToneAction => ({
  tone: 'warn',
  action: { code: 'capacity_low', windowId, knownUnits, trackedUnits: 59 },
})
/** The actions shown after each evaluation, given its second and the actions found. */
function shownAt(
  evaluations: readonly (readonly [seconds: number, found: readonly ToneAction[]])[],
): readonly (readonly ToneAction[])[] {
  let causes: readonly LastingCause[] = []
  return evaluations.map(([seconds, found]) => {
    causes = lastingCauses(found, causes, plusMs(NOW, seconds * 1000))
    return openCauses(causes)
  })
}
const countsAt = (evaluations: Parameters<typeof shownAt>[0]) =>
  shownAt(evaluations).map((actions) => actions.length)

describe('a cause', () => {
  it.each<{
    why: string
    evaluations: Parameters<typeof shownAt>[0]
    shown: readonly number[]
  }>([
    {
      why: 'shows once it has lasted a minute',
      evaluations: [
        [0, [low()]],
        [59.999, [low()]],
        [60, [low()]],
      ],
      shown: [0, 0, 1],
    },
    {
      why: 'that goes before it shows begins anew',
      evaluations: [
        [0, [low()]],
        [40, []],
        [50, [low()]],
        [70, [low()]],
        [110, [low()]],
      ],
      shown: [0, 0, 0, 0, 1],
    },
    {
      why: 'shows for five minutes after it was last seen',
      evaluations: [
        [0, [low()]],
        [60, [low()]],
        [61, []],
        [359.999, []],
        [360, []],
      ],
      shown: [0, 1, 1, 1, 0],
    },
    {
      why: 'that comes back meanwhile has five minutes again',
      evaluations: [
        [0, [low()]],
        [60, [low()]],
        [300, []],
        [350, [low()]],
        [600, []],
        [650, []],
      ],
      shown: [0, 1, 1, 1, 1, 0],
    },
    {
      why: 'of one window says nothing of the other',
      evaluations: [
        [0, [low()]],
        [30, [low(), low(3, 'week')]],
        [60, [low(), low(3, 'week')]],
        [90, [low(), low(3, 'week')]],
      ],
      shown: [0, 0, 1, 2],
    },
    {
      why: 'waits a minute from a clock that was set back, and no longer',
      evaluations: [
        [0, [low()]],
        [-3600, [low()]],
        [-3540, [low()]],
      ],
      shown: [0, 0, 1],
    },
    {
      why: 'that is gone ends although the clock was set back',
      evaluations: [
        [0, [low()]],
        [60, [low()]],
        [-3600, []],
        [-3300, []],
      ],
      shown: [0, 1, 1, 0],
    },
  ])('$why', ({ evaluations, shown }) => {
    expect(countsAt(evaluations)).toEqual(shown)
  })

  it('shows as it was last found, since it was first found', () => {
    const [, open, gone] = shownAt([
      [0, [low(5)]],
      [60, [low(4)]],
      [90, []],
    ])

    expect(open).toEqual([{ ...low(4), since: NOW }])
    expect(gone).toEqual(open)
  })

  it('that comes and goes faster than a minute never shows', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 59 }), { maxLength: 40 }), (steps) => {
        let seconds = 0
        const evaluations = steps.map((step, index) => {
          seconds += step
          return [seconds, index % 2 === 0 ? [low()] : []] as const
        })

        expect(countsAt(evaluations)).toEqual(steps.map(() => 0))
      }),
    )
  })
})
