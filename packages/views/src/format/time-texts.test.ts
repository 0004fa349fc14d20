import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { durationPartsOf } from './time-texts.ts'

describe('a duration in parts', () => {
  it.each([
    { seconds: -1, parts: { days: 0, hours: 0, minutes: 0 } },
    { seconds: 59.9, parts: { days: 0, hours: 0, minutes: 0 } },
    { seconds: 60, parts: { days: 0, hours: 0, minutes: 1 } },
    { seconds: 3_599, parts: { days: 0, hours: 0, minutes: 59 } },
    { seconds: 86_399, parts: { days: 0, hours: 23, minutes: 59 } },
    { seconds: 86_400, parts: { days: 1, hours: 0, minutes: 0 } },
  ])('of $seconds s is $parts', ({ seconds, parts }) => {
    expect(durationPartsOf(seconds)).toEqual(parts)
  })

  it('adds up to the time there is, but for a part of a minute', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (seconds) => {
        const { days, hours, minutes } = durationPartsOf(seconds)
        const left = seconds - ((days * 24 + hours) * 60 + minutes) * 60
        expect(left).toBeGreaterThanOrEqual(0)
        expect(left).toBeLessThan(60)
        expect(hours).toBeLessThan(24)
        expect(minutes).toBeLessThan(60)
      }),
    )
  })
})
