import { timesAsLong } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { vectors } from '../testing/encoder-vectors.ts'
import { encoders } from '../testing/encoders.ts'
import { redactText, withMarks } from '../testing/redact-text.ts'
import { coreOf } from '../testing/secrets.ts'
import { createKnownValues } from './known-values.ts'

const valuesOf = (texts: readonly string[]) =>
  texts.map((value) => ({ value, kind: 'secret', asWord: false }) as const)

const cases = Object.entries(vectors.encoders).flatMap(([encoder, written]) =>
  written.map((text, index) => ({ encoder, value: vectors.values[index] ?? '', text })),
)
/** Has three letters, which are not looked for by themselves, and signs, which nobody needs to know. */
const SIGNS_ALONE = vectors.values.at(-1)
const isRare = (encoder: string) => /quopri|Properties|printf|escape/.test(encoder)

describe('a known value', () => {
  it.each(cases.filter(({ encoder, value }) => value !== SIGNS_ALONE || !isRare(encoder)))(
    'goes in what $encoder made of $value',
    ({ value, text }) => {
      const copy = redactText(`before ${text} after\n`, { known: vectors.values }).toLowerCase()

      expect(copy).not.toContain(value.toLowerCase())
      for (const line of text.split(/\r?\n/).filter(({ length }) => length > 12))
        expect(copy).not.toContain(coreOf(line).toLowerCase())
    },
  )

  it.each([
    ...['plain', 'JSON', 'JSON, ASCII alone', 'JSON of Go', 'JSON of PHP', 'encodeURIComponent'],
    ...['a form', 'HTML', 'XML', 'Base64', 'Base64, one byte in', 'Base64, two bytes in'],
    ...['Base64 for URLs', 'hexadecimal', 'hexadecimal in capitals', 'a list of bytes'],
  ])('is found by itself as %s, and has one pseudonym', (encoder) => {
    for (const value of vectors.values) {
      const found = createKnownValues(valuesOf([value])).find(`a ${encoders[encoder]?.(value)} b`)

      expect(
        found.map((span) => span.value),
        value,
      ).toContain(value)
    }
  })

  it('goes whatever the encoder, twice over, and wherever it begins', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9]{4}[!-~]{4,16}[A-Za-z0-9]{3}$/),
        fc.constantFrom(...Object.keys(encoders)),
        fc.constantFrom('plain', 'JSON', 'encodeURIComponent', 'HTML', 'Base64', 'JSON of Go'),
        fc.stringMatching(/^[A-Za-z0-9 ]{0,9}$/),
        (secret, first, second, before) => {
          const written = encoders[second]?.(encoders[first]?.(secret) ?? '') ?? ''
          const copy = redactText(`${before} ${written} end`, { known: [secret] })

          expect(copy, written).not.toContain(coreOf(written))
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 200 : 50 },
    )
  })

  it('goes although it is a word, and together with all its words', () => {
    expect(withMarks(redactText('Team Blue of the office uses it', { known: ['team blue'] }))).toBe(
      '‹› of the ‹› uses it'.replace('of the ‹›', withMarks(redactText('of the office'))),
    )
  })

  it('that is short is a whole word', () => {
    const text = 'team blue, blueprint, "blue" and _blue'
    const found = createKnownValues([{ value: 'blue', kind: 'secret', asWord: true }]).find(text)

    expect(found.map(({ start }) => start)).toEqual([5, 23])
  })

  it('of any length is found, in parts and line by line', () => {
    const long = Array.from({ length: 300 }, (_, index) => `line ${index} of a long word`).join(
      '\n',
    )

    expect(withMarks(redactText(`is ${long} so\n`, { known: [long] }))).not.toMatch(/long/)
    expect(withMarks(redactText('line 117 of a long word', { known: [long] }))).toBe('‹›')
  })

  it('is told from one that shares its bytes in the search', () => {
    const found = createKnownValues(valuesOf(['王伟王伟', '李强李强'])).find('王伟王伟')

    expect(found.map(({ value }) => value)).toEqual(['王伟王伟'])
  })
})

it('thousands of values that begin alike are looked for in time that grows with their number', () => {
  const learn = (count: number) => () =>
    createKnownValues(
      valuesOf(
        Array.from(
          { length: count },
          (_, index) => `eyJhbGciOiJSUzI1NiJ9.${String(index).padStart(8, 'a')}.signature`,
        ),
      ),
    )
  // Ten times the values should take about ten times as long; quadratic growth would take a hundred times.
  expect(
    timesAsLong({ subject: learn(1_000), neighbour: learn(100), cpuUsage: process.cpuUsage }),
  ).toBeLessThan(60)
}, 120_000)
