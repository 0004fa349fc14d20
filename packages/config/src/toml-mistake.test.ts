import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tomlMistake } from './toml-mistake.ts'

const UNKNOWN = 'this is not TOML'

describe('why a parser stopped', () => {
  it.each([
    { text: 'port =', column: 7, reason: 'a value is missing after =' },
    { text: 'port = # none', column: 7, reason: 'a value is missing after =' },
    { text: '= 1', column: 1, reason: 'a key is missing before =' },
    { text: 'x = [“a”]', column: 6, reason: 'quotes must be straight' },
    { text: "x = ['a', ‘b’]", column: 11, reason: 'quotes must be straight' },
    { text: 'x = -012', column: 7, reason: 'a number may not begin with 0' },
    { text: "x = 'abc", column: 9, reason: 'a quote is not closed' },
    { text: "x = ['a', ", column: 11, reason: 'a bracket is not closed' },
    { text: 'x = "a" "b"', column: 9, reason: 'only a comment may follow a value' },
    { text: 'a b = 1', column: 3, reason: 'write = between key and value' },
  ])('in $text is that $reason', ({ text, column, reason }) => {
    expect(tomlMistake(text, 1, column, 'Expected something else')).toBe(reason)
  })

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

  it('is what the parser says where the meaning is wrong, wherever it stopped', () => {
    expect(tomlMistake('', null, null, 'Cannot redefine existing key')).toBe(
      'the key is given twice',
    )
    expect(tomlMistake('', null, null, 'Invalid escape sequence: \\U')).toBe(
      'a backslash in double quotes begins an escape: use single quotes',
    )
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
