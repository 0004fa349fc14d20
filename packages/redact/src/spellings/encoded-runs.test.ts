import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../testing/random.ts'
import { decodedRuns } from './encoded-runs.ts'
import { placeIn, textOfReading } from './reading.ts'

const secret = 'Kelp-9182xx words'

/** Where a text reads as the secret: the stretches it is decoded from. */
const sourcesOf = (text: string, part = secret) =>
  decodedRuns(text).flatMap(({ all }) => {
    const at = textOfReading(all).indexOf(part)
    return at < 0 ? [] : [text.slice(...placeIn(all, at, at + part.length))]
  })
const hex = Buffer.from(secret).toString('hex')
const base64 = Buffer.from(secret).toString('base64')
const lines = (text: string, length: number, margin = '') =>
  (text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).join(`\n${margin}`)

describe('an encoded text is read', () => {
  it.each([
    { what: 'in Base64', written: base64 },
    { what: 'in Base64 without padding', written: base64.replace(/=+$/, '') },
    { what: 'in Base64 in lines', written: lines(base64, 12) },
    { what: 'in Base64 in indented lines', written: lines(base64, 12, '    ') },
    { what: 'in Base64 in lines of Windows', written: lines(base64, 12).replaceAll('\n', '\r\n') },
    { what: 'in hexadecimal digits', written: hex },
    { what: 'in hexadecimal capitals', written: hex.toUpperCase() },
    { what: 'in hexadecimal digits in lines', written: lines(hex, 16) },
    { what: 'in pairs with blanks', written: hex.replace(/..(?=.)/g, '$& ') },
    { what: 'in pairs with colons', written: hex.replace(/..(?=.)/g, '$&:') },
    { what: 'in pairs of C', written: hex.replace(/..(?=.)/g, '0x$&, ').replace(/..$/, '0x$&') },
    { what: 'in numbers', written: [...Buffer.from(secret)].join(',') },
    { what: 'in numbers with blanks', written: [...Buffer.from(secret)].join(', ') },
  ])('$what, with the place it comes from', ({ written }) => {
    const sources = sourcesOf(`x: ${written} y`)

    expect(sources.length).toBeGreaterThan(0)
    // The padding goes with the last byte, and what stands before the digits stays.
    expect(sources).toContain(written.replace(/^0x/, ''))
  })

  it('in numbers that are negative above 127, as Java writes them', () => {
    const letters = Buffer.from('mörtel-77')

    expect(sourcesOf(new Int8Array(letters).join(', '), letters.toString('latin1'))).toHaveLength(1)
  })

  it('in Base64 of both alphabets', () => {
    const bytes = Buffer.from('\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8 words>>>???', 'latin1')
    for (const written of [bytes.toString('base64'), bytes.toString('base64url')])
      expect(sourcesOf(written, bytes.toString('latin1'))).toHaveLength(1)
  })

  it('wherever in a group it begins', () => {
    const random = createRandom(1)
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 0, max: 12 }),
        (before, after) => {
          const text = Buffer.concat([
            random.bytes(before),
            Buffer.from(secret),
            random.bytes(after),
          ])

          expect(sourcesOf(text.toString('base64')).length).toBeGreaterThan(0)
          expect(sourcesOf(`a${text.toString('hex')}`).length).toBeGreaterThan(0)
          expect(sourcesOf(`abc${text.toString('base64')}`).length).toBeGreaterThan(0)
        },
      ),
    )
  })
})

describe('what reads as text', () => {
  const readableIn = (text: string) =>
    decodedRuns(text).flatMap(({ readable }) =>
      readable === null ? [] : [textOfReading(readable)],
    )

  it('is given once more on its own, for spellings within it', () => {
    expect(readableIn(base64).some((text) => text.includes(secret))).toBe(true)
  })

  it('has no zeros of UTF-16', () => {
    const wide = Buffer.from(secret, 'utf16le').toString('base64')

    expect(readableIn(wide).some((text) => text.includes(secret))).toBe(true)
  })

  it('is not what reads as bytes', () => {
    const bytes = Buffer.from(Array.from({ length: 60 }, (_, index) => 128 + index))

    expect(readableIn(bytes.toString('hex'))).toEqual([])
  })

  it('of two runs is kept apart by a zero', () => {
    const written = Buffer.from('one text').toString('hex')
    const [run] = decodedRuns(`${written} ${Buffer.from('another').toString('hex')}`)
      .map(({ all }) => textOfReading(all))
      .filter((text) => text.includes('one text'))

    expect(run).toContain('one text\0another')
  })
})

it.each([
  'evaluation-of/words',
  'Configuration',
  '2026-11-21',
  'short',
  '17, 18, 19',
  'ab cd ef',
  '',
])('%s is not encoded', (text) => {
  expect(decodedRuns(text)).toEqual([])
})
