import { epochMs } from '@svc/core'
import { describe, expect, it } from 'vitest'
import { isUnderMaintenance, maintenanceBetween, maintenanceMsBetween } from './maintenance.ts'

const MINUTE_MS = 60_000
const DAY_MS = 1_440 * MINUTE_MS
/** Midnight of a night with maintenance, 3:20 to 4:00. */
const NIGHT = 2_300 * 9 * DAY_MS
const at = (minutes: number) => epochMs(NIGHT + minutes * MINUTE_MS)

describe('the maintenance of the sample service', () => {
  it.each([
    { minutes: 199.99, down: false },
    { minutes: 200, down: true },
    { minutes: 239.99, down: true },
    { minutes: 240, down: false },
    { minutes: 1_440 + 220, down: false },
    { minutes: 9 * 1_440 + 220, down: true },
  ])(
    '$minutes min after the beginning of such a night is under way: $down',
    ({ minutes, down }) => {
      expect(isUnderMaintenance(at(minutes))).toBe(down)
    },
  )

  it.each([
    { what: 'all of it', from: 0, to: 300, minutes: 40 },
    { what: 'its beginning', from: 0, to: 210, minutes: 10 },
    { what: 'its end', from: 215, to: 300, minutes: 25 },
    { what: 'none before it', from: 0, to: 200, minutes: 0 },
    { what: 'none after it', from: 240, to: 1_000, minutes: 0 },
    { what: 'four nights of 30 days', from: 0, to: 30 * 1_440, minutes: 160 },
  ])('between two instants is $what', ({ from, to, minutes }) => {
    const nights = maintenanceBetween(at(from), at(to))

    expect(maintenanceMsBetween(at(from), at(to))).toBe(minutes * MINUTE_MS)
    for (const night of nights) {
      expect(isUnderMaintenance(night.from)).toBe(true)
      expect(isUnderMaintenance(night.to - 1)).toBe(true)
    }
  })
})
