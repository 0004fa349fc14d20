import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs, instantToIso, parseInstant, plusMs, secondsUntil } from './time.ts'

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
