import { describe, expect, it } from 'vitest'
import { type EpochMs, epochMs } from '../facts/time.ts'
import {
  type BurnHours,
  burnForecastOf,
  burnHoursOf,
  forecastSpreadOf,
  hourOf,
} from './burn-forecast.ts'
import type { CapacityPoint } from './capacity-point.ts'

const HOUR_MS = 3_600_000
/** Monday 2026-11-16, 00:00 UTC. */
const MONDAY = Date.parse('2026-11-16T00:00:00Z') / HOUR_MS
const at = (hour: number): EpochMs => epochMs(hour * HOUR_MS)

/** Burn of each hour from `from` until `until`, by `unitsAt`. */
function burned(from: number, until: number, unitsAt: (hour: number) => number): BurnHours {
  const hours = Array.from({ length: until - from }, (_, index) => from + index)
  return { unitsByHour: new Map(hours.map((hour) => [hour, unitsAt(hour)])), firstAt: at(from) }
}
const aPoint = (atHour: number, burnedUnits: number) =>
  ({ at: at(atHour), burnedUnits }) as CapacityPoint

describe('burn by the hour', () => {
  it('adds up what was used within an hour, whatever the order', () => {
    const points = [aPoint(100.9, 1), aPoint(99.5, 4), aPoint(100, 2)]

    for (const order of [points, [...points].reverse()])
      expect(burnHoursOf(order)).toEqual({
        unitsByHour: new Map([
          [100, 3],
          [99, 4],
        ]),
        firstAt: at(99.5),
      })
  })

  it('of nothing is nothing', () => {
    expect(burnHoursOf([])).toEqual({ unitsByHour: new Map(), firstAt: null })
  })

  it.each([
    { instant: 0, hour: 0 },
    { instant: HOUR_MS - 1, hour: 0 },
    { instant: HOUR_MS, hour: 1 },
  ])('instant $instant lies in hour $hour', ({ instant, hour }) => {
    expect(hourOf(epochMs(instant))).toBe(hour)
  })
})

describe('a forecast', () => {
  it.each([
    { minutes: 29, known: false },
    { minutes: 30, known: true },
  ])('after $minutes minutes of readings exists: $known', ({ minutes, known }) => {
    const burn = burned(MONDAY, MONDAY + 1, () => 6)

    expect(burnForecastOf(burn, at(MONDAY + minutes / 60)) !== null).toBe(known)
  })

  it('without a reading is none', () => {
    expect(burnForecastOf({ unitsByHour: new Map(), firstAt: null }, at(MONDAY))).toBeNull()
  })

  it('below two days is the mean of the last one', () => {
    const burn = burned(MONDAY, MONDAY + 30, (hour) => (hour < MONDAY + 6 ? 100 : 2))
    const forecast = burnForecastOf(burn, at(MONDAY + 30))

    expect(forecast?.confidence).toBe('low')
    expect(forecast?.unitsWithin(5)).toBeCloseTo(10)
  })

  it('counts hours that were watched alone', () => {
    const burn = burned(MONDAY, MONDAY + 20, () => 2)
    const gap = new Map([...burn.unitsByHour].filter(([hour]) => hour % 2 === 0))
    const forecast = burnForecastOf({ ...burn, unitsByHour: gap }, at(MONDAY + 20))

    expect(forecast?.unitsWithin(1)).toBeCloseTo(2)
  })

  it('of two days and more follows the hour of the day', () => {
    const busyByDay = (hour: number) => (hour % 24 >= 8 && hour % 24 < 20 ? 10 : 0)
    const forecast = burnForecastOf(
      burned(MONDAY, MONDAY + 96, busyByDay),
      // End of Thursday: the next hours are night.
      at(MONDAY + 96),
    )

    expect(forecast?.confidence).toBe('high')
    expect(forecast?.unitsWithin(6)).toBeLessThan(1)
    expect(forecast?.unitsWithin(24)).toBeGreaterThan(60)
  })

  it('keeps weekends apart', () => {
    const workdays = (hour: number) => (Math.floor((hour - MONDAY) / 24) % 7 < 5 ? 10 : 1)
    const saturday = MONDAY + 5 * 24
    const forecast = burnForecastOf(burned(MONDAY, saturday + 24, workdays), at(saturday + 24))

    // On Sunday morning, after a quiet Saturday, a quiet Sunday is expected, and a busy Monday.
    expect(forecast?.unitsWithin(12)).toBeCloseTo(12, 0)
    expect((forecast?.unitsWithin(48) ?? 0) - (forecast?.unitsWithin(24) ?? 0)).toBeGreaterThan(150)
  })

  it('follows the level of the last hours, at most threefold, and forgets it', () => {
    const burn = burned(MONDAY, MONDAY + 96, (hour) => (hour >= MONDAY + 90 ? 1000 : 10))
    const calm = burnForecastOf(
      burned(MONDAY, MONDAY + 96, () => 10),
      at(MONDAY + 96),
    )
    const stormy = burnForecastOf(burn, at(MONDAY + 96))
    const unitsIn = (hour: number) =>
      (stormy?.unitsWithin(hour + 1) ?? 0) - (stormy?.unitsWithin(hour) ?? 0)

    expect(calm?.unitsWithin(10)).toBeCloseTo(100)
    // A day later these hours count only in the profile of their hour of the day.
    expect(unitsIn(0)).toBeCloseTo(204.1, 1)
    expect(unitsIn(12)).toBeLessThan(unitsIn(0))
    expect(unitsIn(12)).toBeGreaterThanOrEqual(10)
  })

  it('looks at nothing after its time', () => {
    const past = burned(MONDAY, MONDAY + 72, (hour) => hour % 7)
    const now = at(MONDAY + 72)
    const later = new Map([...past.unitsByHour, [MONDAY + 72, 500], [MONDAY + 80, 900]])
    const [one, other] = [past, { ...past, unitsByHour: later }].map((burn) =>
      burnForecastOf(burn, now),
    )

    for (const hours of [0.5, 1, 10, 48])
      expect(one?.unitsWithin(hours)).toBe(other?.unitsWithin(hours))
  })
})

describe('how far off forecasts were', () => {
  it('is half as much and twice as much before a day of them', () => {
    const burn = burned(MONDAY, MONDAY + 20, () => 5)

    expect(forecastSpreadOf(burn, at(MONDAY + 20)).quartiles(6)).toEqual({ lower: 0.5, upper: 2 })
  })

  it('is nothing where every hour was the same', () => {
    const burn = burned(MONDAY, MONDAY + 7 * 24, () => 5)
    const spread = forecastSpreadOf(burn, at(MONDAY + 7 * 24))

    for (const hours of [0.5, 1, 4, 48, 500]) {
      const { lower, upper } = spread.quartiles(hours)
      expect(lower).toBeCloseTo(1)
      expect(upper).toBeCloseTo(1)
    }
  })

  it('lies around what came where burn comes by fits and starts', () => {
    const burn = burned(MONDAY, MONDAY + 7 * 24, (hour) => (hour % 5 === 0 ? 20 : 1))
    const spread = forecastSpreadOf(burn, at(MONDAY + 7 * 24))
    const { lower, upper } = spread.quartiles(1)

    expect(lower).toBeLessThan(1)
    expect(upper).toBeGreaterThan(lower)
    expect(lower).toBeGreaterThan(0)
  })

  it('changes steadily between the horizons', () => {
    const burn = burned(MONDAY, MONDAY + 7 * 24, (hour) => ((hour * 7919) % 13) + 1)
    const spread = forecastSpreadOf(burn, at(MONDAY + 7 * 24))
    const lowerAt = (hours: number) => spread.quartiles(hours).lower
    const between = (lowerAt(3) + lowerAt(6)) / 2

    expect(lowerAt(4.5)).toBeCloseTo(between)
    expect(lowerAt(0.1)).toBe(lowerAt(1))
  })
})
