import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { anEntry, change, showPool } from '../testing/page.ts'
import { browserMs } from './live-data.ts'
import { gainSteps, listedReturns, resetGroups } from './reset-groups.ts'

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

  it('keep their instant while the clock of the page goes on', () => {
    showPool([anEntry('ana', { fiveHour: 0, resetsInSeconds: 630 })])

    for (const aheadMs of [4_000, 16_000, 61_000]) {
      change(() => {
        browserMs.value = NOW + aheadMs
      })
      expect(shape('5h')).toEqual([[630, 1, ['ana']]])
    }
    browserMs.value = NOW
  })

  it('leave out what gains nothing, and are none of a window that is not there', () => {
    showPool([anEntry('ana', { fiveHour: 100 })])

    expect(resetGroups('5h')).toEqual([])
    expect(resetGroups('month')).toEqual([])
  })

  it('rise on top of what is usable up to what is tracked, within the hours of the forecast and after them', () => {
    showPool([
      anEntry('ana', { fiveHour: 0, resetsInSeconds: 600 }),
      anEntry('bob', { fiveHour: 50, resetsInSeconds: 9_000 }),
    ])

    expect(gainSteps('5h', true).map(({ total }) => total)).toEqual([1.5, 2])

    showPool([
      anEntry('ana', { fiveHour: 0, resetsInSeconds: 600 }),
      anEntry('bob', { fiveHour: 50, resetsInSeconds: 49 * 3_600 }),
    ])
    expect(gainSteps('5h', true).map(({ units, total }) => [units, total])).toEqual([
      [1, 1.5],
      [0.5, 2],
    ])
  })
})

describe('the list of returns', () => {
  /** Accounts whose 5h windows return quota one after another, `everySeconds` apart. */
  const spread = (count: number, everySeconds: number) =>
    showPool(
      Array.from({ length: count }, (_, index) =>
        anEntry(`user${index}`, { fiveHour: 0, resetsInSeconds: (index + 1) * everySeconds }),
      ),
    )
  const counts = (rows: number) =>
    listedReturns(rows)
      .filter(({ windowId }) => windowId === '5h')
      .map((group) => group.rows.length)

  it.each([
    { what: 'few', count: 3, everySeconds: 60, lists: [1, 1, 1] },
    { what: 'far apart', count: 4, everySeconds: 1_800, lists: [1, 1, 1, 1] },
    { what: 'minutes apart', count: 12, everySeconds: 600, lists: [1, 1, 2, 1, 2, 1, 2, 1, 1] },
    { what: 'many', count: 90, everySeconds: 60, lists: [14, 15, 15, 15, 15, 15, 1] },
  ])('has the resets by as short a time as shows more than the next minutes: $what', (row) => {
    spread(row.count, row.everySeconds)

    expect(counts(4)).toEqual(row.lists)
  })

  it('says from when to when a stretch is, and has everything of it', () => {
    spread(90, 60)
    const [first] = listedReturns(4)

    expect([first?.atMs, first?.lastMs].map((ms = 0) => (ms - NOW) / 60_000)).toEqual([1, 14])
    expect(first?.units).toBeCloseTo(14)
  })
})
