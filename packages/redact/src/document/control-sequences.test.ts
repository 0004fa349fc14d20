import { describe, expect, it } from 'vitest'
import { redactText } from '../testing/redact-text.ts'

const S = 'zz9canary7'
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with one.
const SEQUENCE = /\u001b(?:\[[\d;]*[A-Z]|\([0B])|\\u001b\[\d*m/gi

describe('colours of a terminal', () => {
  it.each([
    [
      'around a name, as logrus writes them',
      `\u001b[36mpassword\u001b[0m=${S} \u001b[36mport\u001b[0m=1`,
    ],
    ['around a value', `password=\u001b[32m${S}\u001b[0m port=1`],
    [
      'around both, as pino-pretty writes them',
      `    \u001b[35mpassword\u001b[39m: "${S}"\n    \u001b[35mport\u001b[39m: 1`,
    ],
    [
      'in JSON, as jq writes them',
      `\u001b[34;1m"password"\u001b[0m\u001b[1;39m:\u001b[0m \u001b[0;32m"${S}"\u001b[0m`,
    ],
    ['inside of a value', `password=zz9\u001b[01;31m\u001b[Kcan\u001b[m\u001b[Kary7 port=1`],
    ['at both ends of a character set', `password=\u001b(0${S}\u001b(B\u001b[m port=1`],
    ['that JSON spells', `{"log":"\\u001b[36mpassword\\u001b[0m=${S} port=1"}`],
    [
      'that JSON in JSON spells',
      `{"a":"{\\"log\\":\\"\\\\u001b[36mpassword\\\\u001b[0m=${S} port=1\\"}"}`,
    ],
    ['that a shell spells', `echo "\\033[1mpassword\\033[0m=${S}"`],
  ])('%s hide nothing, wherever a piece ends', (_, text) => {
    for (const kind of ['text', 'json'] as const)
      for (const pieceLength of [1, 5, 1000]) {
        const copy = redactText(text, { kind, pieceLength })

        expect(copy).not.toMatch(/canary|zz9/)
        expect(copy.match(SEQUENCE)).toEqual(text.match(SEQUENCE))
      }
  })

  it('stand around what stays, and around what takes the place of a value', () => {
    const before = '\u001b[2mall\u001b[0m quiet \u001b[36mtoken\u001b[0m='
    const after = ' \u001b[36mport\u001b[0m=1\u001b[K'

    expect(
      redactText(`${before}\u001b[32m${S}\u001b[0m${after}`).replace(/<secret:\w+>/, '<>'),
    ).toBe(`${before}\u001b[32m<>\u001b[0m${after}`)
  })

  it('that were cut off, and other escapes, stay as they are', () => {
    for (const text of [
      'port\u001b[3',
      'a\u001b',
      'a \\',
      '\\\\',
      'C:\\exports\\u001',
      '\u001b]0;title\u0007x',
    ])
      for (const pieceLength of [1, 1000]) expect(redactText(text, { pieceLength })).toBe(text)
  })

  it('leave JSON readable behind many backslashes', () => {
    for (const count of [1, 2, 3, 4, 15, 16, 17, 40]) {
      const text = JSON.stringify({ note: `${'\\'.repeat(count)}u001b[0m`, token: S })

      expect(() => JSON.parse(redactText(text, { kind: 'json' }))).not.toThrow()
    }
  })
})
