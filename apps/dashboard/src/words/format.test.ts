import { describe, expect, it } from 'vitest'
import { shortCountText, zoneOf } from './format.ts'

const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']
const HOUR_MS = 3_600_000
/** Around the changes of the clock in most of these zones. */
const INSTANTS = ['2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-04-04T15:00:00Z', '2026-11-01T04:31:00Z', '2026-12-31T23:59:59Z']

describe('times of a zone', () => {
  it.each(ZONES)('in %s are those of the zone data', (timeZone) => {
    const zone = zoneOf(timeZone)
    const said = (options: Intl.DateTimeFormatOptions, ms: number) =>
      new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', ...options }).format(ms)
    for (const ms of INSTANTS.map((instant) => Date.parse(instant))) {
      const clock = said({ hour: '2-digit', minute: '2-digit' }, ms)
      const day = said({ weekday: 'short' }, ms)

      expect(zone.clock(ms)).toBe(clock)
      expect(zone.moment(ms, ms - 20 * HOUR_MS)).toBe(`${day} ${clock}`)
      expect(zone.moment(ms, ms + 200 * HOUR_MS)).toBe(`${said({ day: 'numeric', month: 'short' }, ms).replace('Sept', 'Sep')} ${clock}`)
      expect(zone.dayAndDate(ms)).toBe(`${day} ${said({ day: 'numeric' }, ms)}`)
    }
  })

  it('inside a sentence have a word before the clock alone', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')

    expect(zoneOf('UTC').when(now + HOUR_MS, now)).toBe('at 13:00')
    expect(zoneOf('UTC').when(now + 13 * HOUR_MS, now)).toBe('Sun 01:00')
  })
})

// The rows of the same rule in packages/views.
it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1.0k'],
  [1_049, '1.0k'],
  [1_050, '1.1k'],
  [999_949, '999.9k'],
  [999_950, '1.0M'],
  [25_998_046, '26.0M'],
  [12_450_000, '12.5M'],
  [1e9, '1.0B'],
  [1e12, '1.0T'],
])('%i reads %s', (count, short) => {
  expect(shortCountText(count)).toBe(short)
})
