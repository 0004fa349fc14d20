import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOW } from '../testing/builders.ts'
import {
  epochMs,
  instantToIso,
  parseHttpDate,
  parseInstant,
  plusMs,
  retryAfterSecondsOf,
  secondsUntil,
} from './time.ts'

const NOON = 1_795_176_000_000

describe('parseInstant', () => {
  it.each([
    ['2026-11-20T12:00:00Z', NOON, 'UTC'],
    ['2026-11-20t12:00:00z', NOON, 'lower case is allowed by RFC 3339'],
    ['2026-11-20 12:00:00Z', NOON, 'so is a space'],
    ['2026-11-20T20:00:00+08:00', NOON, 'an offset east'],
    ['2026-11-20T04:30:00-07:30', NOON, 'an offset west, with minutes'],
    ['2026-11-20T12:00:00-00:00', NOON, 'an unknown local offset is still UTC'],
    ['2026-11-20T12:00:00.1Z', NOON + 100, 'one fraction digit'],
    ['2026-11-20T12:00:00.123Z', NOON + 123, 'three'],
    ['2026-11-20T12:00:00.123999999Z', NOON + 123, 'nine, as Go writes them, cut to milliseconds'],
    ['2028-02-29T00:00:00Z', 1_835_395_200_000, 'a leap day'],
  ])('reads %s', (text, expected) => {
    expect(parseInstant(text)).toBe(expected)
  })

  it.each([
    ['2026-11-20T12:00:00', 'no offset, so no instant'],
    ['2026-11-20', 'a date alone'],
    ['2026-11-20T12:00Z', 'no seconds'],
    ['2026-11-20T12:00:00.Z', 'a point without digits'],
    ['2026-11-20T12:00:00.1234567890Z', 'ten fraction digits'],
    ['2026-11-20T12:00:00+0800', 'an offset without colon'],
    ['2026-11-20T12:00:00 UTC', 'a zone name'],
    ['2026-13-01T00:00:00Z', 'month 13'],
    ['2026-11-00T00:00:00Z', 'day 0'],
    ['2026-11-31T00:00:00Z', 'the 31st of November'],
    ['2026-02-29T00:00:00Z', 'a leap day in no leap year'],
    ['2026-11-20T24:00:00Z', 'hour 24'],
    ['2026-11-20T23:60:00Z', 'minute 60'],
    ['2026-11-20T12:00:00+24:00', 'an offset of a whole day'],
    ['1795176000', 'unix seconds'],
    ['12026-11-20T12:00:00Z', 'a five-digit year'],
    [' 2026-11-20T12:00:00Z', 'a blank before it'],
    ['', 'nothing'],
  ])('refuses %j: %s', (text) => {
    expect(parseInstant(text)).toBeNull()
  })

  it('reads back every instant it can write', () => {
    const years0To9999 = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 })
    fc.assert(
      fc.property(
        years0To9999,
        (instant) => parseInstant(instantToIso(epochMs(instant))) === instant,
      ),
    )
  })
})

describe('secondsUntil', () => {
  it.each<readonly [milliseconds: number | null, seconds: number | null, why: string]>([
    [null, null, 'no instant'],
    [0, 0, 'now'],
    [-1, 0, 'passed a moment ago, never negative'],
    [-90_000_000, 0, 'passed long ago'],
    [1, 1, 'a part of a second counts as one'],
    [1000, 1, 'exactly one'],
    [1001, 2, 'one and a bit'],
  ])('%j ms ahead is %j s: %s', (milliseconds, seconds) => {
    const now = epochMs(NOON)
    expect(secondsUntil(milliseconds === null ? null : plusMs(now, milliseconds), now)).toBe(
      seconds,
    )
  })
})

it('keeps whole milliseconds', () => {
  expect(epochMs(1.5)).toBe(2)
  expect(plusMs(epochMs(10), -0.6)).toBe(9)
})

describe('parseHttpDate', () => {
  it.each([
    ['Fri, 20 Nov 2026 23:53:37 GMT', '2026-11-20T23:53:37Z'],
    ['Thu, 01 Jan 2026 00:00:00 GMT', '2026-01-01T00:00:00Z'],
  ])('reads %s', (text, iso) => {
    expect(parseHttpDate(text)).toBe(parseInstant(iso))
  })

  it.each([
    null,
    '',
    '2026-11-20T23:53:37Z',
    'Fri, 20 Foo 2026 23:53:37 GMT',
    'Fri, 20 Nov 2026 25:53:37 GMT',
  ])('%s is none', (text) => {
    expect(parseHttpDate(text)).toBeNull()
  })
})

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
