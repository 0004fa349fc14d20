import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Span } from '../span.ts'
import type { Token } from '../structure/structure.ts'
import { insideTokens, type TokensRead } from './inside-tokens.ts'

/** The strings (without their quotes) and numbers of a document of JSON. */
function tokensOf(text: string, base = 0): readonly Token[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|-?\d+/g)].map((match) => {
    const isText = match[1] !== undefined
    const start = base + match.index + (isText ? 1 : 0)
    return { start, end: start + (match[1] ?? match[0]).length, isText }
  })
}
const readOf = (held: string, changes: Partial<TokensRead> = {}): TokensRead => ({
  held,
  base: 0,
  tokens: tokensOf(held),
  soundTo: held.length,
  kind: 'json',
  ...changes,
})
const spanOf = (start: number, end: number, changes: Partial<Span> = {}): Span => ({
  start,
  end,
  kind: 'known',
  value: '',
  certainty: 'shape',
  ...changes,
})
const cut = (held: string, spans: readonly Span[]) =>
  spans.map(({ start, end, quote }) => `${quote ?? ''}${held.slice(start, end)}${quote ?? ''}`)

describe('stretches cut to the tokens they lie in', () => {
  it.each([
    { name: 'inside of a string', held: '["abcdef"]', start: 4, end: 6, parts: ['cd'] },
    { name: 'over two strings', held: '["abc","def"]', start: 3, end: 10, parts: ['bc', 'de'] },
    { name: 'half of an escape', held: '["a\\nb"]', start: 4, end: 6, parts: ['\\nb'] },
    { name: 'half of a code point', held: '["a\\u0041b"]', start: 2, end: 6, parts: ['a\\u0041'] },
    { name: 'a doubled backslash', held: '["a\\\\b"]', start: 5, end: 6, parts: ['b'] },
    { name: 'outside of all tokens', held: '[ "a" , "b" ]', start: 5, end: 8, parts: [] },
  ])('$name', ({ held, start, end, parts }) => {
    expect(cut(held, insideTokens([spanOf(start, end)], readOf(held)))).toEqual(parts)
  })

  it('a short number is hidden whole, with quotes; a long one is left to the parser', () => {
    const held = '["ab",123,"cd"]'
    expect(cut(held, insideTokens([spanOf(2, 13)], readOf(held)))).toEqual(['ab', '"123"', 'cd'])

    expect(insideTokens([spanOf(1, 9)], readOf('[12345678]'))).toEqual([])
  })

  it('a shape ends with the string in which it begins', () => {
    const held = '["abc","def"]'

    expect(cut(held, insideTokens([spanOf(3, 10, { kind: 'secret' })], readOf(held)))).toEqual([
      'bc',
    ])
  })

  it('what lies behind the sound part stays hidden', () => {
    const held = '["abc", def ghi'
    const place = readOf(held, { soundTo: 7 })

    expect(cut(held, insideTokens([spanOf(3, 12)], place))).toEqual(['bc', ' def '])
  })

  it('a doubled quote of CSV is not taken apart', () => {
    const held = 'a""b'
    const place = readOf(held, { kind: 'csv', tokens: [{ start: 0, end: 4, isText: true }] })

    expect(cut(held, insideTokens([spanOf(2, 4)], place))).toEqual(['""b'])
    expect(cut(held, insideTokens([spanOf(0, 2)], place))).toEqual(['a""'])
  })

  it('leave JSON readable, whatever is hidden', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é') }), fc.nat(999)),
        ),
        fc.array(fc.tuple(fc.nat(60), fc.nat(20)), { maxLength: 1 }),
        fc.nat(1_000),
        (values, places, base) => {
          const held = JSON.stringify(values)
          const spans = places
            .map(([start, length]) =>
              spanOf(base + start, base + Math.min(start + length, held.length)),
            )
            .filter(({ start, end }) => start < end)
          const place = readOf(held, {
            base,
            tokens: tokensOf(held, base),
            soundTo: base + held.length,
          })
          let out = held
          for (const { start, end, quote = '' } of insideTokens(spans, place).toReversed())
            out = `${out.slice(0, start - base)}${quote}x${quote}${out.slice(end - base)}`
          expect(JSON.parse(out)).toHaveLength(values.length)
        },
      ),
    )
  })
})
