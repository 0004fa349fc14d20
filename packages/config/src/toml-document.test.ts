import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { linePlace, tomlDocumentAt, tomlMistake } from './toml-document.ts'

const failing = (code: string) => () => {
  throw Object.assign(new Error('canary'), { code })
}
const documentOf = (text: string) =>
  tomlDocumentAt('/a.toml', 'config file from --config', () => text)

describe('a file of settings', () => {
  it('is read with its text', () => {
    expect(documentOf('port = 1\n')).toEqual({ values: { port: 1 }, text: 'port = 1\n' })
  })

  it.each(['ENOENT', 'ENOTDIR'])('that is not there (%s) is none', (code) => {
    expect(tomlDocumentAt('/a.toml', 'config file', failing(code))).toBeNull()
  })

  it.each(['EACCES', 'not a regular file'])('that cannot be read says why: %s', (code) => {
    expect(tomlDocumentAt('/a.toml', 'config file', failing(code))).toEqual({
      problem: {
        code: 'unreadable_file',
        message: `config file cannot be read (${code}): /a.toml`,
      },
    })
  })

  it('in UTF-16 says so', () => {
    expect(documentOf('\ufffd\ufffdp\u0000o\u0000')).toMatchObject({
      problem: { message: 'config file is UTF-16; save it as UTF-8: /a.toml' },
    })
  })

  it.each([
    { what: 'a syntax error', text: 'port = 1\nkey = canary-secret\n', line: 2 },
    { what: 'a key that is there twice', text: 'port = 1\nport = 2 # canary-secret\n', line: 2 },
  ])('with $what names the line, and quotes nothing of it', ({ text, line }) => {
    const found = documentOf(text)

    expect(found).toMatchObject({
      problem: {
        code: 'invalid_toml',
        message: expect.stringMatching(
          new RegExp(
            `^config file is not valid TOML at line ${line}, column \\d+ \\(.+\\): /a\\.toml$`,
          ),
        ),
      },
    })
    expect(JSON.stringify(found)).not.toContain('canary')
  })
})

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
