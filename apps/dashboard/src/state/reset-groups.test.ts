import '../testing/browser.ts'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { anEntry, showPool } from '../testing/page.ts'
import { resetGroups, resetSteps } from './reset-groups.ts'

const shape = (windowId: string) =>
  resetGroups(windowId).map(({ atMs, units, rows }) => [
    (atMs - NOW) / 1000,
    Math.round(units * 100) / 100,
    rows.map(({ account }) => account.split('@')[0]),
  ])

describe('resets of one minute', () => {
  it.each([
    { what: 'in the same second', first: 600, second: 600, groups: 1 },
    { what: 'in the same minute', first: 600, second: 659, groups: 1 },
    { what: 'in the next minute', first: 659, second: 660, groups: 2 },
  ])('are one return, $what: $groups', ({ first, second, groups }) => {
    showPool([
      anEntry('ana', { fiveHour: 0, resetsInSeconds: first }),
      anEntry('bob', { fiveHour: 50, resetsInSeconds: second }),
    ])

    expect(resetGroups('5h')).toHaveLength(groups)
  })

  it('are summed, and dated by the first', () => {
    showPool([
      anEntry('ana', { fiveHour: 0, resetsInSeconds: 630 }),
      anEntry('bob', { fiveHour: 50, resetsInSeconds: 600 }),
      anEntry('cyd', { fiveHour: 80, resetsInSeconds: 9_000 }),
    ])

    expect(shape('5h')).toEqual([
      [600, 1.5, ['bob', 'ana']],
      [9_000, 0.2, ['cyd']],
    ])
  })

  it('leave out what gains nothing, and are none of a window that is not there', () => {
    showPool([anEntry('ana', { fiveHour: 100 })])

    expect(resetGroups('5h')).toEqual([])
    expect(resetGroups('month')).toEqual([])
  })

  it('rise on top of what is known up to what is tracked', () => {
    showPool([
      anEntry('ana', { fiveHour: 0, resetsInSeconds: 600 }),
      anEntry('bob', { fiveHour: 50, resetsInSeconds: 9_000 }),
    ])

    expect(resetSteps(resetGroups('5h'), 0.7, 2).map(({ total }) => total)).toEqual([1.7, 2])
  })
})
