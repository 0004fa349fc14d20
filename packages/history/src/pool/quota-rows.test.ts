import { epochMs } from '@svc/core'
import { describe, expect, it } from 'vitest'
import { burnHoursOfRows, courseReadingOf, pointsOfRows, readingsOfRows } from './quota-rows.ts'

const UNITS = { knownUnits: 5, trackedUnits: 6, unknownUnits: 1, burnedUnits: 2 }
const READING = { accountKey: 'ana', windowId: '5h', atMs: 7, percent: 40, resetAtMs: 9 }

describe('rows of the course of the pool', () => {
  it('are points and readings of the windows that are known', () => {
    const points = ['5h', 'day'].map((windowId) => ({
      windowId,
      atMs: 7,
      usableUnits: 3,
      ...UNITS,
    }))
    const readings = [READING, { ...READING, windowId: 'day' }, { ...READING, resetAtMs: null }]

    const point = { provider: 'codex', windowId: '5h', at: epochMs(7), ...UNITS }
    expect(pointsOfRows(points)).toEqual([{ ...point, usableUnits: 3 }])
    const before = points.map((row) => ({ ...row, usableUnits: null }))
    expect(pointsOfRows(before)).toEqual([point])
    const known = { accountKey: 'ana', windowId: '5h', at: epochMs(7), percent: 40 }
    expect(readingsOfRows(readings)).toEqual([
      { ...known, resetAt: epochMs(9) },
      { ...known, resetAt: null },
    ])
  })

  it('say of each window what was used by the hour, and when the first of it was', () => {
    const rows = [
      { windowId: 'week', hour: 1, units: 3, firstAtMs: 11 },
      { windowId: '5h', hour: 2, units: 4, firstAtMs: 22 },
      { windowId: 'week', hour: 2, units: 5, firstAtMs: 21 },
    ]

    const ofWeek = {
      unitsByHour: new Map([
        [1, 3],
        [2, 5],
      ]),
      firstAt: epochMs(11),
    }
    const others = [
      { windowId: 'claude/5h', hour: 2, units: 6, firstAtMs: 23 },
      { windowId: 'claude/fortnight', hour: 2, units: 7, firstAtMs: 24 },
    ]
    expect(burnHoursOfRows([...rows, ...others])).toEqual(
      new Map([
        ['week', ofWeek],
        ['5h', { unitsByHour: new Map([[2, 4]]), firstAt: epochMs(22) }],
        ['claude/5h', { unitsByHour: new Map([[2, 6]]), firstAt: epochMs(23) }],
      ]),
    )
    expect(burnHoursOfRows([])).toEqual(new Map())
  })

  it('say where a reading comes from only where that is known', () => {
    const row = { atMs: 7, percent: 40, resetAtMs: null, origin: 'headers', sampledAtMs: 5 }

    expect(courseReadingOf(row)).toMatchObject({ origin: 'headers', sampledAt: epochMs(5) })
    expect(courseReadingOf({ ...row, origin: 'made-up', sampledAtMs: null })).toMatchObject({
      origin: null,
      sampledAt: null,
    })
  })
})
