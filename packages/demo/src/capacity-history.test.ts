import { epochMs, mainWindows } from '@svc/core'
import { type CapacityPoint, windowNameOf } from '@svc/core/pool'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { demoCapacityPoints } from './capacity-history.ts'

const HOUR_MS = 3_600_000

const points = demoCapacityPoints(NOW)

const nameOf = (point: CapacityPoint) => `${windowNameOf(point)} ${point.at}`

/** Minutes between each two consecutive points. */
const stepsOf = (all: readonly CapacityPoint[]) =>
  all.slice(1).map(({ at }, index) => (at - (all[index]?.at ?? 0)) / 60_000)

describe.each(mainWindows)('the course of the sample pool in $id', ({ id }) => {
  const course = points.filter((point) => windowNameOf(point) === id)

  it('reaches from eight days ago to now, and not beyond', () => {
    expect(course[0]?.at).toBe(NOW - 8 * 24 * HOUR_MS)
    expect(course.at(-1)?.at).toBeLessThan(NOW)
    expect(course.at(-1)?.at).toBeGreaterThanOrEqual(NOW - HOUR_MS / 4)
  })

  it('is hourly, and every quarter of an hour in the last day, which is drawn', () => {
    const lastDay = course.filter(({ at }) => at >= NOW - 24 * HOUR_MS)

    expect(new Set(stepsOf(course.slice(0, -lastDay.length)))).toEqual(new Set([60]))
    expect(new Set(stepsOf(lastDay))).toEqual(new Set([15]))
  })

  it('never has more left than the pool holds, and burns something', () => {
    for (const { knownUnits, trackedUnits, burnedUnits } of course) {
      expect(knownUnits).toBeLessThanOrEqual(trackedUnits)
      expect(burnedUnits).toBeGreaterThanOrEqual(0)
    }
    expect(course.some(({ burnedUnits }) => burnedUnits > 0)).toBe(true)
  })
})

describe('the course of the sample pool', () => {
  it('is the same for the same time', () => {
    expect(demoCapacityPoints(NOW)).toEqual(points)
  })

  it('goes on as it went an hour later', () => {
    const later = demoCapacityPoints(epochMs(NOW + HOUR_MS))
    const left = new Map(later.map((point) => [nameOf(point), point.knownUnits]))
    const shared = points.filter((point) => left.has(nameOf(point)))

    expect(shared.length).toBeGreaterThan(300)
    for (const point of shared) expect(left.get(nameOf(point))).toBe(point.knownUnits)
  })
})
