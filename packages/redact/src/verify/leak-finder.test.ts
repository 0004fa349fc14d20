import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { encoders } from '../testing/encoders.ts'
import { createLeakFinder } from './leak-finder.ts'

const finderOf = (values: readonly string[], asWord = false) =>
  createLeakFinder(values.map((value) => ({ value: bytesOf(value), kind: 'secret', asWord })))
const find = (value: string, text: string | Buffer, asWord = false) =>
  finderOf([value], asWord).find(Buffer.from(text as string))

describe('a known value is found', () => {
  it.each([
    { what: 'at the start', text: 'Kelp-9182xx and more', offset: 0 },
    { what: 'at the end', text: 'more and Kelp-9182xx', offset: 9 },
    { what: 'inside of a word', text: 'moreKelp-9182xxmore', offset: 4 },
    { what: 'in capitals', text: 'a KELP-9182XX', offset: 2 },
    { what: 'at its first place', text: 'a Kelp-9182xx Kelp-9182xx', offset: 2 },
    { what: 'behind its own beginning', text: 'Kelp-918Kelp-9182xx', offset: 8 },
    { what: 'between bytes that are not text', text: '\u0000Kelp-9182xx\u0000', offset: 1 },
  ])('$what', ({ text, offset }) => {
    expect(find('Kelp-9182xx', text)).toBe(offset)
  })

  it('whatever its length', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9]{4}[ -~]{0,300}$/),
        fc.stringMatching(/^[ -~]{0,40}$/),
        (value, before) => {
          expect(find(value, `${before}|${value}|`)).not.toBe(null)
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each(Object.keys(encoders))('in what the encoder "%s" writes', (encoder) => {
    for (const value of ['Kelp-9182xx', 'aB3/dE6+gH9=jK', `it's "so" & \\ 77 long`]) {
      const written = encoders[encoder]?.(value) ?? ''

      expect(find(value, `before ${written} after`), `${encoder}: ${written}`).not.toBe(null)
    }
  })

  it.each(['\n', '\r\n', '\n    ', '\r\n\t'])(
    'in Base64 with %j at any place of it',
    (lineBreak) => {
      const written = Buffer.from(`${'x'.repeat(30)}Kelp-9182xx-words${'y'.repeat(30)}`).toString(
        'base64',
      )
      for (let at = 20; at < 80; at += 1) {
        const inLines = `${written.slice(0, at)}${lineBreak}${written.slice(at)}`

        expect(find('Kelp-9182xx-words', `key: ${inLines}\nmore`), inLines).not.toBe(null)
      }
    },
  )

  it('by its beginning when it is longer than 2,048 bytes', () => {
    const long = Array.from({ length: 900 }, (_, index) => `w${index}`).join('')
    const start = long.slice(0, 2_048)

    expect(find(long, `x ${start} y`)).toBe(2)
    expect(find(long, `x ${start.slice(0, -1)} y`)).toBe(null)
  })

  it('among thousands', () => {
    const values = Array.from({ length: 3_000 }, (_, index) => `Kelp-${index}-value-of-many`)
    const finder = finderOf(values)

    for (const value of [values[0], values[1_500], values[2_999]])
      expect(finder.find(Buffer.from(`x ${value} y`))).toBe(2)
    expect(finder.find(Buffer.from('x Kelp-3000-value-of-many y'))).toBe(null)
  })
})

describe('a known value that is a word', () => {
  it.each(['blue', 'team blue,', '"blue"', 'BLUE', 'a-blue-b', 'x=blue'])(
    'is found in %s',
    (text) => {
      expect(find('blue', text, true)).not.toBe(null)
    },
  )

  it.each(['blueprint', 'deepblue', 'blue_1', '_blue', 'blue7', 'blué', 'bleu'])(
    'is not found in %s',
    (text) => {
      expect(find('blue', text, true)).toBe(null)
    },
  )
})

describe('nothing is found', () => {
  it.each([
    { what: 'in an empty text', text: '' },
    { what: 'in another text', text: 'all quiet in the pool' },
    { what: 'in its beginning', text: 'Kelp-9182x' },
    { what: 'in its end', text: 'elp-9182xx' },
    { what: 'in a pseudonym', text: '<secret:0123456789ab> user-0123456789ab@redacted.invalid' },
  ])('$what', ({ text }) => {
    expect(find('Kelp-9182xx', text)).toBe(null)
  })

  it('where nothing is known', () => {
    expect(finderOf([]).find(Buffer.from('Kelp-9182xx'))).toBe(null)
  })

  it('of a value that is shorter than four bytes', () => {
    expect(find('abc', 'abc')).toBe(null)
    expect(find('abcd', 'abcd')).toBe(0)
  })
})

it('the reach is as long as the longest form, and bounded', () => {
  expect(finderOf(['Kelp']).reach).toBe(64)
  expect(finderOf(['k'.repeat(200)]).reach).toBeGreaterThanOrEqual(1_200)
  expect(finderOf(['k'.repeat(60_000)]).reach).toBeLessThanOrEqual(32 * 1024)
})
