import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonLines } from './json-lines.ts'

describe('jsonLines', () => {
  it.each([
    ['', 1],
    ['{\n"a": 1,\n}', 3],
    ['{\n"a": 1\n"b": 2}', 3],
    ['[1,\n2,\n\n', 2],
    ['{"a":\n"b}', 2],
    ["{\n'a': 1}", 2],
    ['[1]\nx', 2],
    ['{"a" 1}', 1],
    ['[1\n}', 2],
    ['["tab\there"]', 1],
    [' [1, {"a": [null, true, -1.5e3]}, "\\u00e9"] \n', null],
  ])('%j goes wrong on line %s', (text, line) => {
    expect(jsonLines(text, '').mistakeAt).toBe(line)
  })

  it('knows where the elements of a list begin', () => {
    const text =
      '{"other": [1, 2], "clients": [\n{"a": [1,\n2]},\n\n{},\n"x"], "more": {"clients": [1]}}'

    expect(jsonLines(text, 'clients').elementLines).toEqual([2, 5, 6])
  })

  it('agrees with the parser on what is JSON', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', 'x', '['))
      .map(([text, at, put]) => {
        const place = at % (text.length + 1)
        return text.slice(0, place) + put + text.slice(place + 1)
      })
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken), (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        expect(jsonLines(text, '').mistakeAt === null).toBe(isJson)
      }),
      { numRuns: process.env.TEST_SIZE === 'full' ? 2_000 : 400 },
    )
  })
})
