import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOW } from '../testing/builders.ts'
import { retryAfterSecondsOf } from './retry-after.ts'

const DATE = 'Fri, 20 Nov 2026 12:00:00 GMT'

function waitFor(retryAfter: string | null, date: string | null = DATE): number | null {
  const headers = new Headers(date === null ? {} : { date })
  if (retryAfter !== null) headers.set('retry-after', retryAfter)
  return retryAfterSecondsOf(headers, NOW)
}

describe('retryAfterSecondsOf', () => {
  it.each<[string | null, number | null, string]>([
    ['120', 120, 'seconds'],
    ['0', 1, 'never at once'],
    ['0.2', 1, 'rounded up'],
    ['3600', 3600, 'the longest wait'],
    ['3601', 3600, 'one second more is clamped'],
    ['1e12', 3600, 'clamped'],
    ['1000000000000', 3600, 'clamped'],
    ['-1', null, 'negative'],
    ['soon', null, 'no number'],
    ['', null, 'empty'],
    ['0x10', null, 'no decimal number'],
    ['Infinity', null, 'no number'],
    [null, null, 'missing'],
    ['Fri, 20 Nov 2026 12:02:00 GMT', 120, 'a date'],
    ['Fri, 20 Nov 2026 18:00:00 GMT', 3600, 'a date too far off'],
    ['Fri, 20 Nov 2026 11:59:59 GMT', null, 'a date that has passed'],
    ['Friday, 20-Nov-26 12:02:00 GMT', null, 'a date form HTTP no longer writes'],
  ])('%s asks for %s: %s', (text, seconds) => {
    expect(waitFor(text)).toBe(seconds)
  })

  it('counts a date from the clock of the server that wrote it', () => {
    expect(waitFor('Fri, 20 Nov 2026 15:02:00 GMT', 'Fri, 20 Nov 2026 15:00:00 GMT')).toBe(120)
    expect(waitFor('Fri, 20 Nov 2026 12:02:00 GMT', null)).toBe(120)
  })

  it('never leaves its bounds', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.e-+ ') }), (text) => {
        const seconds = waitFor(text.trim())
        return seconds === null || (seconds >= 1 && seconds <= 3600)
      }),
    )
  })
})
