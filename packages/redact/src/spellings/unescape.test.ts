import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, textOf } from '../byte-text.ts'
import { placeIn, textOfReading } from './reading.ts'
import { type EscapeKind, unescaped } from './unescape.ts'

const read = (text: string, kind: EscapeKind = 'all') => {
  const reading = unescaped(bytesOf(text), kind)
  return reading === null ? null : textOf(textOfReading(reading))
}
/** The stretch of the text that a part of what it reads as comes from. */
const sourceOf = (text: string, part: string, kind: EscapeKind = 'all') => {
  const reading = unescaped(bytesOf(text), kind)
  if (reading === null) return null
  const at = textOfReading(reading).indexOf(bytesOf(part))
  return textOf(bytesOf(text).slice(...placeIn(reading, at, at + bytesOf(part).length)))
}

describe('an escape with a backslash', () => {
  it.each([
    { written: String.raw`\u0041b`, plain: 'Ab' },
    { written: String.raw`\u00e9`, plain: 'é' },
    { written: String.raw`\uD83D\uDE00`, plain: '😀' },
    { written: String.raw`\u{1F600}`, plain: '😀' },
    { written: String.raw`\U0001F600`, plain: '😀' },
    { written: String.raw`\x41\x62`, plain: 'Ab' },
    { written: String.raw`\xc3\xa9`, plain: 'é' },
    { written: String.raw`\101\142`, plain: 'Ab' },
    { written: String.raw`a\nb\tc\rd`, plain: 'a\nb\tc\rd' },
    { written: String.raw`a\/b\"c\'d\\e`, plain: `a/b"c'd\\e` },
    { written: 'a\\\n   b', plain: 'ab' },
    { written: 'a\\\r\n\tb', plain: 'ab' },
    { written: String.raw`\unot`, plain: 'unot' },
    { written: String.raw`\xzz`, plain: 'xzz' },
    { written: 'at the end\\', plain: 'at the end\\' },
  ])('in $written reads $plain', ({ written, plain }) => {
    expect(read(written)).toBe(plain)
    expect(read(written, 'backslash')).toBe(plain)
  })
})

describe('an escape of a URL', () => {
  it.each([
    { written: '%41%62', plain: 'Ab' },
    { written: '%c3%A9', plain: 'é' },
    { written: '%u00e9', plain: 'é' },
    { written: '%2541', plain: '%41' },
    { written: '100%25 of %zz', plain: '100% of %zz' },
    { written: '%4', plain: '%4' },
    { written: '100 %', plain: null },
  ])('in $written reads $plain', ({ written, plain }) => {
    expect(read(written)).toBe(plain)
    expect(read(written, 'percent')).toBe(plain)
  })
})

describe('an entity', () => {
  it.each([
    { written: '&amp;&lt;&gt;&quot;&apos;', plain: `&<>"'` },
    { written: '&#65;&#x62;&#X63;', plain: 'Abc' },
    { written: '&#65 b', plain: 'A b' },
    { written: '&#233;&eacute;', plain: 'éé' },
    { written: '&commat;&period;&sol;', plain: '@./' },
    { written: '&ouml;&yuml;&nbsp;', plain: 'öÿ ' },
    { written: '&#128512;', plain: '😀' },
    { written: 'a&amp;amp;b', plain: 'a&amp;b' },
    { written: '&nothing; &amp', plain: '&nothing; &amp' },
    { written: '&#99999999;', plain: '&#99999999;' },
    { written: 'a & b', plain: null },
  ])('in $written reads $plain', ({ written, plain }) => {
    expect(read(written)).toBe(plain)
    expect(read(written, 'entity')).toBe(plain)
  })
})

describe('one kind alone', () => {
  it.each([
    { kind: 'quoted-printable', written: 'a=3Db=C3=A9', plain: 'a=bé' },
    { kind: 'quoted-printable', written: 'long=\r\n line', plain: 'long line' },
    { kind: 'quoted-printable', written: '=6B=65=6C=70', plain: 'kelp' },
    { kind: 'quoted-printable', written: 'a=20', plain: 'a ' },
    { kind: 'quoted-printable', written: 'n=42 m=17', plain: null },
    { kind: 'quotes', written: `a'b"c\\d\`e^f`, plain: 'abcdef' },
    { kind: 'quotes', written: 'plain', plain: null },
    { kind: 'breaks', written: `"ab" + "cd"`, plain: '"abcd"' },
    { kind: 'breaks', written: `'ab' 'cd'`, plain: `'abcd'` },
    { kind: 'breaks', written: `'ab'||'cd'`, plain: `'abcd'` },
    { kind: 'breaks', written: '"ab" .\n  "cd"', plain: '"abcd"' },
    { kind: 'breaks', written: 'a\u001b[01;31mb\u001b[Kc', plain: 'abc' },
    { kind: 'breaks', written: `"ab" + 'cd'`, plain: `"ab" + 'cd'` },
    { kind: 'percent', written: String.raw`\u0041%41`, plain: String.raw`\u0041A` },
    { kind: 'entity', written: '%41&#65;', plain: '%41A' },
    { kind: 'backslash', written: String.raw`%41\x41`, plain: '%41A' },
  ] as const)('$kind of $written reads $plain', ({ kind, written, plain }) => {
    expect(read(written, kind)).toBe(plain)
  })
})

it('a text without escapes has no reading', () => {
  for (const text of ['', 'plain', '50% of all', 'a & b', 'é']) expect(read(text)).toBe(null)
})

describe('what reads as a text comes from', () => {
  it.each([
    { text: String.raw`x \u006belp y`, part: 'kelp', source: String.raw`\u006belp` },
    { text: String.raw`x kel\u0070 y`, part: 'kelp', source: String.raw`kel\u0070` },
    { text: 'x %6belp%20y', part: 'kelp', source: '%6belp' },
    { text: 'x &#107;elp; y', part: 'kelp', source: '&#107;elp' },
    { text: String.raw`\u00e9kelp`, part: 'é', source: String.raw`\u00e9` },
    { text: 'x ke\\\n  lp y', part: 'kelp', source: 'ke\\\n  lp' },
    { text: String.raw`\n\nkelp\n`, part: 'kelp', source: 'kelp' },
  ])('$source where it is $part', ({ text, part, source }) => {
    expect(sourceOf(text, part)).toBe(source)
  })

  it('the quotes around it stay where quotes are left out', () => {
    expect(sourceOf(`x "ke"'lp' y`, 'kelp', 'quotes')).toBe(`ke"'lp`)
  })

  it('as many bytes as it has, in order and without gaps, whatever the escapes', () => {
    const part = fc.constantFrom('k', ' ', '\\n', '\\u00e9', '%41', '%', '&', '&#65;', '\\', '=3D')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        const reading = unescaped(text, 'all')
        if (reading === null) return
        for (let index = 0; index < reading.length; index += 1) {
          const [start, end] = placeIn(reading, index, index + 1)

          expect(start, text).toBeLessThan(end)
          expect(end, text).toBeLessThanOrEqual(text.length)
          if (index > 0) expect(start).toBeGreaterThanOrEqual(reading.placeOf(index - 1))
        }
      }),
      { numRuns: 500 },
    )
  })
})

it('every text is read back from what an encoder made of it', () => {
  const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
  const encoders: readonly ((text: string) => string)[] = [
    (text) => JSON.stringify(text).slice(1, -1),
    (text) => encodeURIComponent(text),
    (text) => [...Buffer.from(text)].map((byte) => `%${hex(byte, 2)}`).join(''),
    (text) => [...Buffer.from(text)].map((byte) => `\\x${hex(byte, 2)}`).join(''),
    (text) => [...text].map((sign) => `&#${sign.codePointAt(0)};`).join(''),
    (text) => text.replace(/[\s\S]/g, (sign) => `\\u${hex(sign.charCodeAt(0), 4)}`),
  ]
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\\%&]/.test(text)),
      fc.constantFrom(...encoders),
      (text, encode) => {
        const written = encode(text)

        expect(read(written) ?? written).toBe(text)
      },
    ),
    { numRuns: 500 },
  )
})
