import { describe, expect, it } from 'vitest'
import { bytesOf, textOf } from '../byte-text.ts'
import { encoders } from '../testing/encoders.ts'
import { fullyUndone, readings } from './undo.ts'

const undone = (text: string) => textOf(fullyUndone(bytesOf(text)))
const secret = 'Kelp/9182 "x" & y'

describe('everything is undone', () => {
  it.each([
    { written: '%41%C3%A9', plain: 'Aé' },
    { written: '%2541', plain: 'A' },
    { written: '%u00e9', plain: 'é' },
    { written: '&amp;lt;', plain: '<' },
    { written: '&#65;&#x42;&#233;', plain: 'ABé' },
    { written: '&unknown; &#65', plain: '&unknown; A' },
    { written: String.raw`\u0041\u{0042}\u00e9`, plain: 'ABé' },
    { written: String.raw`\x41\102`, plain: 'AB' },
    { written: String.raw`\xc3\xa9`, plain: 'é' },
    { written: String.raw`a\/b\"c\\n`, plain: 'a/b"c\\n' },
    { written: String.raw`\\\\u0041`, plain: 'A' },
    { written: '100 % & more', plain: '100 % & more' },
    { written: 'plain', plain: 'plain' },
    { written: '', plain: '' },
  ])('in $written, which reads $plain', ({ written, plain }) => {
    expect(undone(written)).toBe(plain)
  })

  it('ends after four rounds, however often a text was encoded', () => {
    let written = 'a b'
    for (let round = 0; round < 6; round += 1) written = encodeURIComponent(written)

    expect(undone(written)).toBe(`a%${'25'.repeat(1)}20b`)
  })
})

describe('the readings of a text', () => {
  it.each([
    'plain',
    'JSON',
    'JSON in JSON',
    'JSON of Go',
    'JSON of PHP',
    'escapes all through',
    'encodeURIComponent',
    'percent all through',
    'percent twice',
    'HTML',
    'XML',
    'decimal entities',
    'hexadecimal entities',
    'escaped bytes',
    'quoted-printable',
    'double quotes of a shell',
    'backslashes of a shell',
  ])('have what the encoder "%s" was given', (encoder) => {
    const written = encoders[encoder]?.(secret) ?? ''

    expect([written, ...readings(bytesOf(written)).map(textOf)].join('\n')).toContain(secret)
  })

  it('are none where nothing was encoded', () => {
    for (const text of ['', 'all quiet', 'é', '50 % & more']) expect(readings(text)).toEqual([])
  })

  it('come one for each round', () => {
    expect(readings('%252541')).toEqual(['%2541', '%41', 'A'])
  })

  it('have the lines of quoted-printable in one', () => {
    expect(readings('Kelp=\r\n-91=3D82=\n!')).toContain('Kelp-91=82!')
  })

  it('have the text without its colours', () => {
    expect(readings('Kelp\u001b[01;31m\u001b[K-9182\u001b(B\u001b[m!')).toContain('Kelp-9182!')
  })

  it('have the digits of a dump as bytes', () => {
    const dump = [
      '00000000  4b 65 6c 70 2d 39 31 38  32 78 78 20 77 6f 72 64  |Kelp-9182xx word|',
      '00000010  73 20 6f 66 20 61 20 6b  65 79                    |s of a key|',
    ].join('\n')

    expect(readings(dump).some((text) => text.includes('xx words of a key'))).toBe(true)
  })
})
