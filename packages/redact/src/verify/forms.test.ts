import { describe, expect, it } from 'vitest'
import { bytesOf } from '../byte-text.ts'
import { encoders } from '../testing/encoders.ts'
import { FORMS } from './forms.ts'

/** Everything that the forms make of a value, in small letters. */
const formsOf = (value: string) =>
  FORMS.filter(({ changes }) => changes.test(bytesOf(value))).map(({ write }) =>
    write(bytesOf(value), Buffer.from(value)).toLowerCase(),
  )
const VALUES = [
  'Kelp-9182xx',
  'aB3/dE6+gH9=jK',
  `it's "quoted" & <tagged> \\ 77`,
  'correct horse 77',
  'mörtel/中文 77',
]

describe('among the forms of a value is what is written by', () => {
  it.each([
    'plain',
    'JSON',
    'JSON, ASCII alone',
    'JSON of PHP',
    'escapes all through',
    'encodeURIComponent',
    'a form',
    'quote of Python',
    'quote_plus of Python',
    'URLEncoder of Java',
    'percent all through',
    'percent twice',
    'HTML',
    'HTML of Python',
    'XML',
    'decimal entities',
    'hexadecimal entities',
    'hexadecimal',
    'escaped bytes',
    'quoted-printable',
  ])('%s', (encoder) => {
    for (const value of VALUES) {
      const written = bytesOf(encoders[encoder]?.(value) ?? '').toLowerCase()

      expect(formsOf(value), `${encoder} of ${value}`).toContain(written)
    }
  })

  it.each([
    'Base64',
    'Base64 without padding',
    'Base64, one byte in',
    'Base64, two bytes in',
    'Base64 for URLs',
    'Base64 twice',
    'Base64 of JSON',
    'Base64 of UTF-16',
    'a list of bytes',
    'single quotes of a shell',
    'double quotes of a shell',
    'backslashes of a shell',
    'C quotes of a shell',
  ])('%s, with what stands around it', (encoder) => {
    // Of JSON in Base64 the quotes are escaped, which is one encoder more.
    for (const value of VALUES.filter(
      (each) => !/["'\\]/.test(each) || !/JSON|C quotes/.test(encoder),
    )) {
      const written = bytesOf(encoders[encoder]?.(value) ?? '').toLowerCase()

      expect(
        formsOf(value).some((form) => form.length > value.length / 2 && written.includes(form)),
        `${encoder} of ${value}`,
      ).toBe(true)
    }
  })
})

it('a value of letters and digits is not written in more forms than encode every sign', () => {
  const forms = new Set(formsOf('Kelp9182xx'))

  expect(forms).toContain('kelp9182xx')
  expect(forms.size).toBeLessThan(formsOf(`Kelp'9182&"x"\\é`).length)
})

it('every form has something of the value, whatever the value', () => {
  for (const value of [...VALUES, 'é', '%41', "''''", '\n\t', '='])
    for (const form of formsOf(value).filter((_, index) => index < 20)) expect(form).not.toBe('')
})
