import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOf, textOf } from './byte-text.ts'

describe('byte text', () => {
  it('has one character for each byte of UTF-8, and reads as the text again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bytes = bytesOf(text)

        expect(Buffer.from(bytes, 'latin1').equals(Buffer.from(text))).toBe(true)
        expect(textOf(bytes)).toBe(text)
      }),
    )
  })

  it('of ASCII is the text itself', () => {
    const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('')

    expect(bytesOf(ascii)).toBe(ascii)
    expect(textOf(ascii)).toBe(ascii)
  })

  it.each([
    { bytes: 'caf\xc3\xa9', text: 'café' },
    { bytes: 'caf\xe9', text: 'caf\ufffd' },
    { bytes: '\xc3', text: '\ufffd' },
    { bytes: '\x80', text: '\ufffd' },
  ])('$bytes reads $text: what is not UTF-8 is marked', ({ bytes, text }) => {
    expect(textOf(bytes)).toBe(text)
  })
})
