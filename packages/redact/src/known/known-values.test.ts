import { timesAsLong } from '@svc/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { vectors } from '../testing/encoder-vectors.ts'
import { encoders } from '../testing/encoders.ts'
import { redactText } from '../testing/redact-text.ts'
import { createLeakFinder } from '../verify/leak-finder.ts'
import { createKnownValues } from './known-values.ts'

const valuesOf = (texts: readonly string[]) =>
  texts.map((text) => ({ value: bytesOf(text), kind: 'secret', asWord: false }) as const)
const known = createKnownValues(valuesOf(vectors.values))
const finder = createLeakFinder(valuesOf(vectors.values))

/** What is left of a text when every known value is taken out. */
function without(text: string, finds: typeof known = known): string {
  const bytes = bytesOf(text)
  let out = ''
  let from = 0
  for (const { start, end } of finds
    .find(bytes)
    .toSorted((one, other) => one.start - other.start)) {
    if (start > from) out += bytes.slice(from, start)
    from = Math.max(from, end)
  }
  return out + bytes.slice(from)
}

describe('a known value', () => {
  const cases = Object.entries(vectors.encoders).flatMap(([encoder, written]) =>
    written.map((text, index) => ({ encoder, value: vectors.values[index] ?? '', text })),
  )

  // Of a dump nothing is read: its lines are removed.
  it.each(cases.filter(({ encoder }) => encoder !== 'go hex.Dump'))(
    'is found in what $encoder made of $value',
    ({ value, text }) => {
      const found = known.find(bytesOf(`before ${text} after`))

      expect(found.map((span) => span.value)).toContain(bytesOf(value))
    },
  )

  it.each(cases)('is seen by the check in what $encoder made of $value', ({ text }) => {
    expect(finder.find(Buffer.from(`before\n${text} after`))).not.toBe(null)
  })

  it('is found whatever the encoder, twice over, and wherever it begins', () => {
    const names = Object.keys(encoders).filter((name) => !/capitals|small letters|lines/.test(name))
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9]{4}[!-~]{4,16}[A-Za-z0-9]{3}$/),
        fc.constantFrom(...names),
        fc.constantFrom('plain', 'JSON', 'encodeURIComponent', 'HTML', 'Base64', 'JSON of Go'),
        fc.stringMatching(/^[A-Za-z0-9 ]{0,9}$/),
        (secret, first, second, before) => {
          const written = encoders[second]?.(encoders[first]?.(secret) ?? '') ?? ''
          const finds = createKnownValues(valuesOf([secret]))

          expect(finds.find(bytesOf(`${before} ${written} end`)).length, written).toBeGreaterThan(0)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('is found with any of its signs escaped and any left', () => {
    const secret = 'pass/Word+"77<é>'
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }),
        fc.boolean(),
        (escaped, capitals) => {
          const written = [...secret]
            .map((sign, index) => {
              if (escaped[index] !== true) return sign
              const digits = sign.charCodeAt(0).toString(16).padStart(4, '0')
              return `\\u${capitals ? digits.toUpperCase() : digits}`
            })
            .join('')

          expect(without(`a ${written} b`, createKnownValues(valuesOf([secret])))).toBe('a  b')
        },
      ),
    )
  })

  it('leaves no part of itself where it is taken out', () => {
    for (const value of vectors.values) expect(without(`<${value}>`)).toBe('<>')
  })

  it('that is short is a whole word', () => {
    const finds = createKnownValues([{ value: 'blue', kind: 'secret', asWord: true }])

    expect(without('team blue, blueprint, "blue" and _blue', finds)).toBe(
      'team , blueprint, "" and _blue',
    )
  })

  it('of any length is found, in parts and line by line', () => {
    const long = Array.from({ length: 300 }, (_, index) => `line ${index} of a long key`).join('\n')
    const finds = createKnownValues(valuesOf([long]))

    expect(without(`x${long}y`, finds)).toBe('xy')
    expect(without('x line 117 of a long key y', finds)).toBe('x  y')
  })
})

it('thousands of values that begin alike are looked for in time that grows with their number', () => {
  const values = (count: number) =>
    valuesOf(
      Array.from(
        { length: count },
        (_, index) => `eyJhbGciOiJSUzI1NiJ9.${String(index).padStart(8, 'a')}.signature`,
      ),
    )
  const learn = (count: number) => () => [
    createKnownValues(values(count)),
    createLeakFinder(values(count)),
  ]

  expect(
    timesAsLong({
      subject: learn(4_800),
      neighbour: learn(300),
      cpuUsage: process.cpuUsage,
      rounds: 3,
    }),
  ).toBeLessThan(150)
})

describe('a JSON document', () => {
  const values = fc.array(
    fc.oneof(
      fc.stringMatching(/^[a-zA-Z0-9"'\\`^,:{}[\]<>&% /-]{4,12}$/),
      fc.constantFrom("O'Brien-7712", '"words', 'abc\\', 'true', '","b"', 'nKelp', '12345678'),
    ),
    { minLength: 1, maxLength: 4 },
  )
  const wrap: readonly ((value: string) => unknown)[] = [
    (value) => value,
    (value) => `\n${value}`,
    (value) => JSON.stringify({ a: value }),
    (value) => `'${value.replace(/'/g, "'\\''")}'`,
    (value) => value.replace(/["'\\]/g, ''),
    (value) => ({ [value]: value }),
    (value) => [...Buffer.from(value)],
    (value) => Buffer.from(value).toString('base64'),
    (value) => [value.slice(0, 3), value.slice(3)],
    () => [true, null, 12345678, -1.5e-7],
  ]

  it('can be read again whatever values are known', () => {
    fc.assert(
      fc.property(
        values,
        fc.array(fc.tuple(fc.nat(), fc.nat())),
        fc.jsonValue(),
        fc.boolean(),
        fc.integer({ min: 1, max: 50 }),
        (known, parts, more, isWide, pieceLength) => {
          const document = {
            parts: parts.map(([value, way]) =>
              wrap[way % wrap.length]?.(known[value % known.length] ?? ''),
            ),
            more,
          }
          const text = JSON.stringify(document, null, isWide ? 2 : 0)
          const out = redactText(text, { kind: 'json', known, pieceLength })

          expect(
            () => JSON.parse(out),
            `${text} with ${JSON.stringify(known)} -> ${out}`,
          ).not.toThrow()
        },
      ),
      { numRuns: 300 },
    )
  })

  it('keeps its quotes where a value with a quote is known', () => {
    const out = redactText('{"password":"Kelp-9182xx","z":1}', {
      kind: 'json',
      known: ["O'Brien-7712", 'Kelp-9182xx'],
    })

    expect(out).toMatch(/^\{"password":"<secret:[0-9a-f]{12}>","z":1\}$/)
  })
})

it.each([
  ["password='Kelp-9182xx' z", /^password='<secret:[0-9a-f]{12}>' z$/],
  ['<a b="Kelp-9182xx">', /^<a b="&lt;secret:[0-9a-f]{12}&gt;">$/],
  ['`Kelp-9182xx`', /^`<secret:[0-9a-f]{12}>`$/],
  ['"Kelp-91""82xx", next', /^"<secret:[0-9a-f]{12}>", next$/],
  [String.raw`\"Kelp-9182xx\",`, /^\\"<secret:[0-9a-f]{12}>\\",$/],
])('the quotes around a known value stay in %s', (text, shape) => {
  expect(redactText(text, { known: ["O'Brien-7712", 'Kelp-9182xx'] })).toMatch(shape)
})

describe('a known value in parts', () => {
  const value = 'Kelp-9182xx, and mörtel 77'
  const cut = (join: string) => `${value.slice(0, 14)}${join}${value.slice(14)}`

  it.each([
    ['on two lines', cut('\\\n    ')],
    ['on two lines of Windows', cut('\\\r\n\t')],
    ['as two texts with a plus', `"${cut('" + "')}"`],
    ['as two texts with a plus on two lines', `'${cut("' +\n    '")}'`],
    ['as two texts side by side', `'${cut("' '")}'`],
    ['as two texts of SQL', `'${cut("'||'")}'`],
    ['as two texts of PHP', `"${cut('" . "')}"`],
    ['with a colour', cut('\u001b[01;31m\u001b[K')],
    ['with letters by name', value.replace('ö', '&ouml;')],
    [
      'quoted-printable all through',
      [...Buffer.from(value)].map((byte) => `=${byte.toString(16).toUpperCase()}`).join(''),
    ],
  ])('does not stay: %s', (_, text) => {
    const out = redactText(`before\n${text}\nafter`, { known: [value] })

    expect(out).toMatch(/^before\n[\s\S]*<secret:[0-9a-f]{12}>[\s\S]*\nafter$/)
    expect(out).not.toMatch(/Kelp|9182|rtel|p {3}-|tel 77|=6D/)
  })
})
