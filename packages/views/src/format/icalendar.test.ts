import fc from 'fast-check'
import { expect, it } from 'vitest'
import { calendarInstant, calendarText, calendarValue } from './icalendar.ts'

const octetsOf = (line: string) => new TextEncoder().encode(line).length
/** Whether it is a text of its own: half a character would not come back. */
const isWhole = (line: string) => new TextDecoder().decode(new TextEncoder().encode(line)) === line
/** Properties with values of any length and in any script. */
const unit = fc.constantFrom('a', 'é', '账', '🙂', ' ', ':')
const lines = fc.array(fc.string({ unit, maxLength: 200 }).map((value) => `SUMMARY:${value}`))

it('folds every line at 75 octets, never within a character, and ends each with CRLF', () => {
  fc.assert(
    fc.property(lines, (given) => {
      const text = calendarText(given)
      const physical = text.split('\r\n')

      expect(physical.pop()).toBe('')
      for (const line of physical) {
        expect(octetsOf(line)).toBeLessThanOrEqual(75)
        expect(isWhole(line)).toBe(true)
      }
      expect(text.replaceAll('\r\n ', '')).toBe(given.map((line) => `${line}\r\n`).join(''))
    }),
  )
})

it('leaves a line of 75 octets whole, and folds one more', () => {
  expect(calendarText(['x'.repeat(75)])).toBe(`${'x'.repeat(75)}\r\n`)
  expect(calendarText(['x'.repeat(76)])).toBe(`${'x'.repeat(75)}\r\n x\r\n`)
})

it.each([
  { text: 'a; b, c\\d', value: 'a\\; b\\, c\\\\d' },
  { text: 'x\r\nEND:VCALENDAR', value: 'x END:VCALENDAR' },
  { text: 'a:"b"', value: 'a:"b"' },
])('writes $text as a value', ({ text, value }) => {
  expect(calendarValue(text)).toBe(value)
})

it('writes instants in UTC', () => {
  expect(calendarInstant(Date.parse('2026-11-20T13:04:05.678+01:00'))).toBe('20261120T120405Z')
})
