import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Span } from '../span.ts'
import { createScanner, type Token } from './structure.ts'

const PART_LENGTH = 256 * 1024

interface Scanned {
  readonly spans: readonly Span[]
  readonly tokens: readonly Token[]
  readonly soundTo: number | undefined
  readonly settled: number
}

/** Gives the text in pieces, and of what was given only what the scanner still needs. */
function scan(text: string, pieces: readonly number[] = []): Scanned {
  const scanner = createScanner('json')
  const spans: Span[] = []
  const tokens: Token[] = []
  let given = 0
  for (const length of [...pieces, text.length]) {
    given = Math.min(text.length, given + length)
    const base = scanner.settled
    spans.push(...scanner.scan(text.slice(base, given), base, false))
    tokens.push(...(scanner.takeTokens?.() ?? []))
  }
  const base = scanner.settled
  spans.push(...scanner.scan(text.slice(base), base, true))
  tokens.push(...(scanner.takeTokens?.() ?? []))
  return { spans, tokens, soundTo: scanner.soundTo, settled: scanner.settled }
}

const hiddenIn = (text: string) => scan(text).spans.map(({ start, end }) => text.slice(start, end))

const almostJson = fc
  .array(
    fc.constantFrom(
      ...['{', '}', '[', ']', ',', ':', '"', "'", '\\', '\\"', '\n', ' ', '12', '1234567', 'true'],
      ...['"token"', '"password":', '"a":', '"Maple.canary9"', '//x', '/*c*/', '#', 'word'],
      ...['"name":"api_key"', '"value":"sEcr3tV4lue"', '"--token",', '"query":{', '\u00e9'],
      ...['"{\\"token\\":\\"abc9\\"}"', '"x@y.example"'],
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''))

describe('JSON read for its secrets', () => {
  it('holds the same ones wherever the pieces end, damaged or not', () => {
    fc.assert(
      fc.property(
        almostJson,
        fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 20 }),
        (text, pieces) => {
          expect(scan(text, pieces)).toEqual(scan(text))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it.each([
    {
      name: 'a member named for a secret',
      text: '{"password":"Maple.canary9"}',
      hidden: ['Maple.canary9'],
    },
    {
      name: 'a value that the member before it names',
      text: '{"name":"api_key","value":"sEcr3tV4lue"}',
      hidden: ['sEcr3tV4lue'],
    },
    {
      name: 'a value that the member behind it names',
      text: '{"value":"sEcr3tV4lue","name":"api_key"}',
      hidden: ['sEcr3tV4lue'],
    },
    {
      name: 'everything in a list named for secrets',
      text: '{"tokens":["oak9","elm8"]}',
      hidden: ['oak9', 'elm8'],
    },
    {
      name: 'the value behind a flag',
      text: '["run","--token","oak9x"]',
      hidden: ['oak9x'],
    },
    {
      name: 'a number, with the quotes that its pseudonym needs',
      text: '{"password":12345678}',
      hidden: ['12345678'],
    },
    {
      name: 'nothing where the next document begins on a new line',
      text: '{"a":1}\n{"password":\n{"count":"oak9x"}',
      hidden: [],
    },
  ])('hides $name', ({ text, hidden }) => {
    expect(hiddenIn(text)).toEqual(hidden)
  })

  it('hides a string too long to hold as it arrives, under the name of a secret', () => {
    const value = 'x'.repeat(3 * PART_LENGTH)
    const { spans } = scan(`{"password":"${value}"}`, [PART_LENGTH, PART_LENGTH, PART_LENGTH])

    expect(spans.length).toBeGreaterThan(1)
    expect(spans.map((span) => span.value).join('')).toBe(value)
  })

  it('leaves a string too long to hold under an everyday name', () => {
    const text = `{"note":"${'x'.repeat(3 * PART_LENGTH)}"}`

    expect(scan(text, [PART_LENGTH, PART_LENGTH, PART_LENGTH]).spans).toEqual([])
  })

  it('goes on behind a long string whose line ends where a piece ended', () => {
    const start = `{"note":"${'x'.repeat(PART_LENGTH)}`
    const text = `${start}\n{"password":"Maple.canary9"}`
    const { spans, settled } = scan(text, [start.length])

    expect(spans.map(({ value }) => value)).toEqual(['Maple.canary9'])
    expect(settled).toBe(text.length)
  })
})
