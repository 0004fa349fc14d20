import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countingDurationText, durationText } from './english-times.ts'

const MINUTE = 60
const HOUR = 3600
const DAY = 86_400

describe('durationText', () => {
  it.each([
    [-5, '<1min', 'never negative'],
    [0, '<1min', 'due now'],
    [59, '<1min', 'last second below a minute'],
    [60, '1min', 'first minute'],
    [41 * MINUTE, '41min', 'minutes'],
    [HOUR - 1, '59min', 'last second below an hour'],
    [HOUR, '1h 00min', 'minutes are two digits'],
    [3 * HOUR + 5 * MINUTE, '3h 05min', 'hours and minutes'],
    [DAY - 1, '23h 59min', 'last second below a day'],
    [DAY, '1d 0h', 'first day'],
    [2 * DAY + 4 * HOUR + 59 * MINUTE, '2d 4h', 'days and hours, rounded down'],
  ])('writes %i s as %s (%s)', (seconds, expected) => {
    expect(durationText(seconds)).toBe(expected)
  })

  it('never shrinks while the time grows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 * DAY }),
        fc.integer({ min: 0, max: 400 * DAY }),
        (a, b) => {
          const [less, more] = a < b ? [a, b] : [b, a]
          expect(minutesIn(durationText(less))).toBeLessThanOrEqual(minutesIn(durationText(more)))
        },
      ),
    )
  })

  it('says at most the time there is, and is off by less than the unit it ends in', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * DAY }), (seconds) => {
        const said = minutesIn(durationText(seconds)) * 60
        expect(said).toBeLessThanOrEqual(seconds)
        expect(seconds - said).toBeLessThan(seconds < DAY ? MINUTE : HOUR)
      }),
    )
  })
})

function minutesIn(text: string): number {
  const [, days = 0, hours = 0, minutes = 0] =
    /^(?:(\d+)d )?(?:(\d+)h ?)?(?:(\d+)min)?$/.exec(text) ?? []
  return Number(days) * 1440 + Number(hours) * 60 + Number(minutes)
}

it.each([
  [-1, '0 s'],
  [59.9, '59 s'],
  [60, '1min'],
  [3599, '59min'],
  [3600, '1h 00min'],
  [86_400, '1d 0h'],
])('a text that counts along writes %f s as %s', (seconds, text) => {
  expect(countingDurationText(seconds)).toBe(text)
})
