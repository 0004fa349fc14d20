import { describe, expect, it } from 'vitest'
import { linePlace, tomlDocumentAt } from './toml-document.ts'

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
