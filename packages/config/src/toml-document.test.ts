import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linePlace, tomlMistake } from './toml-document.ts'

describe('the place of a key', () => {
  const text = '# port = 0\n  port = 1\n"host" = "x"\n[[upstream]]\nid = "a"\n'

  it.each([
    { key: 'port', place: ' line 2' },
    { key: 'host', place: ' line 3' },
    { key: 'upstream', place: ' line 4' },
    { key: 'por', place: '' },
  ])('$key is "$place"', ({ key, place }) => {
    expect(linePlace(text, key)).toBe(place)
  })
})

const UNKNOWN = 'this is not TOML'

describe('why a parser stopped', () => {
  it('is looked for in the line that is named', () => {
    expect(tomlMistake('port = 1\nhost: "x"', 2, 5, '')).toBe('write = between key and value')
  })

  it.each([
    { what: 'no line', line: null, column: 1 },
    { what: 'no column', line: 1, column: null },
    { what: 'a line behind the end', line: 3, column: 1 },
  ])('is not guessed where the parser names $what', ({ line, column }) => {
    expect(tomlMistake('port: 1\n', line, column, '')).toBe(UNKNOWN)
  })

  it('never quotes the file', () => {
    const secret = 'zq7canary'
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(40), (before, after, column) => {
        const text = before + secret + after
        expect(tomlMistake(text, 1, column, `Unexpected ${secret}`)).not.toContain(secret)
      }),
    )
  })
})
