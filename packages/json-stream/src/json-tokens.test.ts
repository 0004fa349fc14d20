import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createJsonTokens, JsonTokenKind, type JsonTokenOptions } from './json-tokens.ts'

const KIND = JsonTokenKind
const EVERYTHING = Object.values(KIND).reduce((all, kind) => all | kind, 0)
const PUNCTUATION = KIND.blank | KIND.line | KIND.comma | KIND.colon
const NAMES = new Map(Object.entries(KIND).map(([name, kind]) => [kind as number, name]))

interface Read {
  readonly kind: string
  readonly text: string
  readonly start: number
  readonly ending: string | null
}

interface Reading extends JsonTokenOptions {
  /** Lengths of the pieces; the rest of the text is one piece. */
  readonly pieces?: readonly number[]
  readonly wanted?: number
}

/** Gives the text in pieces, each time dropping the part that is no longer needed. */
function read(text: string, { pieces = [], wanted = EVERYTHING, ...options }: Reading = {}) {
  const tokens = createJsonTokens(options)
  const found: Read[] = []
  let given = 0
  for (const length of [...pieces, text.length]) {
    given = Math.min(text.length, given + length)
    const base = tokens.settled
    tokens.give(text.slice(base, given), base, given === text.length)
    for (let kind = tokens.next(wanted); kind !== 0; kind = tokens.next(wanted))
      found.push({
        kind: NAMES.get(kind) ?? '?',
        text: text.slice(tokens.start, tokens.end),
        start: tokens.start,
        ending: kind === KIND.string ? tokens.ending : null,
      })
  }
  return found
}

const textsOf = (tokens: readonly Read[]) => tokens.map(({ kind, text }) => `${kind} ${text}`)

/** The value represented by tokens without punctuation. */
function valueFrom(tokens: readonly Read[]): unknown {
  let at = 0
  const next = (): unknown => {
    const token = tokens[at]
    at += 1
    if (token === undefined) throw new Error('the tokens end in the middle')
    if (token.kind === 'string') return JSON.parse(`"${token.text}"`)
    if (token.kind === 'bare') return JSON.parse(token.text)
    const elements: unknown[] = []
    while (tokens[at]?.kind !== 'close') elements.push(next())
    at += 1
    if (token.text === '[') return elements
    const members = elements.flatMap((name, index) =>
      index % 2 === 0 ? [[name, elements[index + 1]]] : [],
    )
    return Object.fromEntries(members)
  }
  return next()
}

/** Fragments of JSON, and text that only resembles JSON, in any order. */
const almostJson = fc
  .array(
    fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', "'", '\\', '\\"', '\n', '\r\n', ' ', '"a":', '12'],
      ...['true', '// x', '/* y */', '#', "don't", '"b c"', "'d'", '\u00e9'],
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))
const pieces = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 30 })

describe('the tokens of JSON', () => {
  it('stand for the value that JSON.parse reads', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(undefined, 1, '\t'),
        fc.boolean(),
        pieces,
        (value, indent, isLoose, lengths) => {
          const text = JSON.stringify(value, null, indent)
          const wanted = EVERYTHING & ~PUNCTUATION

          expect(valueFrom(read(text, { wanted, isLoose, pieces: lengths }))).toEqual(
            JSON.parse(text),
          )
        },
      ),
    )
  })

  it('are the same wherever the pieces end', () => {
    fc.assert(
      fc.property(almostJson, pieces, fc.boolean(), (text, lengths, isLoose) => {
        expect(read(text, { isLoose, pieces: lengths })).toEqual(read(text, { isLoose }))
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 1_000 : 200 },
    )
  })

  it('are the same ones when fewer are wanted', () => {
    fc.assert(
      fc.property(
        almostJson,
        fc.integer({ min: 1, max: EVERYTHING }),
        fc.boolean(),
        pieces,
        (text, wanted, isLoose, lengths) => {
          const all = read(text, { isLoose })

          expect(read(text, { wanted, isLoose, pieces: lengths })).toEqual(
            all.filter(({ kind }) => (wanted & KIND[kind as keyof typeof KIND]) !== 0),
          )
        },
      ),
      { numRuns: process.env.TEST_SIZE === 'full' ? 1_000 : 200 },
    )
  })

  it('lie in order, and only quotes lie between them', () => {
    fc.assert(
      fc.property(almostJson, pieces, fc.boolean(), (text, lengths, isLoose) => {
        let rest = text
        let at = 0
        for (const token of read(text, { isLoose, pieces: lengths })) {
          expect(text.slice(at, token.start)).toMatch(/^["']{0,2}$/)
          at = token.start + token.text.length
          rest = text.slice(at)
        }
        expect(rest).toMatch(/^["']?$/)
      }),
    )
  })

  it.each([
    { name: 'an escaped quote', text: String.raw`"a\"b"`, tokens: [String.raw`string a\"b`] },
    {
      name: 'an escaped backslash',
      text: String.raw`"a\\",1`,
      tokens: [String.raw`string a\\`, 'comma ,', 'bare 1'],
    },
    { name: 'an empty string', text: '""', tokens: ['string '] },
    { name: 'brackets inside a string', text: '"{[]}"', tokens: ['string {[]}'] },
    { name: 'a line feed inside a string', text: '"a\nb"', tokens: ['string a\nb'] },
    { name: 'a single quote', text: "'a'", tokens: ["bare 'a'"] },
    { name: 'a number at the end', text: '-1.5e+9', tokens: ['bare -1.5e+9'] },
    { name: 'a slash', text: '//a b', tokens: ['bare //a', 'blank  ', 'bare b'] },
  ])('take $name as JSON does', ({ text, tokens }) => {
    expect(textsOf(read(text))).toEqual(tokens)
  })

  it.each([
    { name: 'single quotes', text: `'a"b'`, tokens: ['string a"b'] },
    {
      name: 'a string that ends with its line',
      text: '"ab\n1',
      tokens: ['string ab', 'line \n', 'bare 1'],
    },
    {
      name: 'a comment to the end of the line',
      text: '//a "b"\n1',
      tokens: ['bare //a "b"', 'line \n', 'bare 1'],
    },
    { name: 'a comment with an end', text: '/*a\n,*/1', tokens: ['bare /*a\n,*/', 'bare 1'] },
    { name: 'an apostrophe inside a word', text: "don't", tokens: ["bare don't"] },
    {
      name: 'a control character between words',
      text: 'a\u0001b',
      tokens: ['bare a', 'blank \u0001', 'bare b'],
    },
  ])('take $name where the text only resembles JSON', ({ text, tokens }) => {
    expect(textsOf(read(text, { isLoose: true }))).toEqual(tokens)
  })

  it.each([
    { name: 'with its quote', text: '"a"', ending: 'quote' },
    { name: 'with its line', text: '"a\n', ending: 'line' },
    { name: 'with the text', text: '"a', ending: 'text' },
    { name: 'with the text, behind a backslash', text: '"a\\', ending: 'text' },
  ])('say that a string ends $name', ({ text, ending }) => {
    expect(read(text, { isLoose: true })[0]).toMatchObject({ kind: 'string', ending })
  })

  it('give a long string in parts that together are the string', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', '\\\\', '\\"', 'b'), { minLength: 20, maxLength: 60 }),
        pieces,
        (content, lengths) => {
          const text = `["${content.join('')}"]`
          const parts = read(text, { partLength: 5, pieces: lengths }).filter(
            ({ kind }) => kind === 'string',
          )

          expect(parts.map((part) => part.text).join('')).toBe(content.join(''))
          expect(parts.at(-1)?.ending).toBe('quote')
          expect(parts.slice(0, -1).every(({ ending }) => ending === 'part')).toBe(true)
        },
      ),
    )
  })

  it('need nothing that lies before a token under way', () => {
    const tokens = createJsonTokens()
    tokens.give('[1, "abc', 0, false)
    while (tokens.next(EVERYTHING) !== 0);

    expect(tokens.settled).toBe('[1, '.length)
  })
})
