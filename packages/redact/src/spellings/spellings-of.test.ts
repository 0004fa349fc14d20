import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, textOf } from '../byte-text.ts'
import { spellingsOf } from './spellings-of.ts'

const spellings = (text: string) => spellingsOf(bytesOf(text))
const asText = (text: string) => spellings(text).map(textOf)

describe('the spellings of a value', () => {
  it('are the value alone where no encoder changes more than escapes undo', () => {
    for (const value of ['Kelp-9182xx', 'aB3/dE6+gH9=', 'a_b~c'])
      expect(spellings(value)).toEqual([value])
  })

  it('have it among them, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), (value) => {
        expect(asText(value)).toContain(value)
      }),
    )
  })

  it.each([
    {
      what: 'with blanks as a form writes them',
      value: 'correct horse 77',
      has: 'correct+horse+77',
    },
    { what: 'without quotes, as a shell reads it', value: `O'Brien"77`, has: 'OBrien77' },
    { what: 'without backslashes', value: 'kelp\\9182', has: 'kelp9182' },
    { what: 'after its own escapes were read', value: 'kelp%209182', has: 'kelp 9182' },
    { what: 'after they were read twice', value: 'kelp%25209182', has: 'kelp 9182' },
    { what: 'in small letters beyond ASCII', value: 'MÖRTEL-77', has: 'mörtel-77' },
    { what: 'in capitals beyond ASCII', value: 'mörtel-77', has: 'MÖRTEL-77' },
    { what: 'with letters and marks apart', value: 'mörtel-77', has: 'mörtel-77'.normalize('NFD') },
    { what: 'with letters and marks in one', value: 'mörtel'.normalize('NFD'), has: 'mörtel' },
  ])('have it $what', ({ value, has }) => {
    expect(asText(value)).toContain(has)
  })

  it('have it in one byte a letter, where its letters allow it', () => {
    expect(spellings('mörtel')).toContain('m\xf6rtel')
    expect(spellings('пароль')).not.toContain('пароль')
  })

  it('have it in UTF-16 of both orders, where it is more than ASCII', () => {
    const wide = Buffer.from('mörtel', 'utf16le')

    expect(spellings('mörtel')).toContain(wide.toString('latin1'))
    expect(spellings('mörtel')).toContain(Buffer.from(wide).swap16().toString('latin1'))
  })

  it('do not have a short reading, which would be found in anything', () => {
    expect(spellings('%41%42%43')).not.toContain('ABC')
  })
})

describe('a long value', () => {
  const long = Array.from({ length: 3_000 }, (_, index) =>
    String.fromCharCode(97 + (index % 26)),
  ).join('')

  it('is looked for in pieces that together are the whole', () => {
    expect(spellings(long)).toEqual([long.slice(0, 1024), long.slice(1024, 2048), long.slice(2048)])
  })

  it.each([
    { length: 1024, last: 1024, pieces: 1 },
    { length: 1025, last: 12, pieces: 2 },
    { length: 1035, last: 12, pieces: 2 },
    { length: 1036, last: 12, pieces: 2 },
    { length: 1037, last: 13, pieces: 2 },
  ])('of $length characters has $pieces pieces, the last of $last', ({ length, last, pieces }) => {
    const value = long.slice(0, length)
    const found = spellings(value)

    expect(found).toHaveLength(pieces)
    expect(found.at(-1)).toBe(value.slice(-last))
  })

  it('of several lines is looked for line by line, as far as a line is long enough', () => {
    const value = 'first line of it\r\n  the second one \nshort\neleven char\ntwelve chars'

    expect(spellings(value)).toEqual(
      expect.arrayContaining([value, 'first line of it', 'the second one', 'twelve chars']),
    )
    expect(spellings(value)).not.toContain('short')
    expect(spellings(value)).not.toContain('eleven char')
  })
})

it('bytes that are not text have no spellings of letters', () => {
  expect(spellingsOf('kelp\xff\xfe77')).toEqual(['kelp\xff\xfe77'])
})
