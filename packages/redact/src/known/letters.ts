/** Letters and digits of a text, escapes undone and every sign left out, each with its place in the text. */
export interface Letters {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

const BACKSLASH = '(?:\\\\|%(?:25)*5[Cc])+'
const AMPERSAND = '(?:&|\\\\+u0026|%(?:25)*26)(?:amp;)*'
const ESCAPE = new RegExp(
  [
    `${BACKSLASH}(?:u\\{?([0-9A-Fa-f]{4,6})\\}?|x([0-9A-Fa-f]{2})|([nrtbfv])|(?=[^\\\\]|$))`,
    `${AMPERSAND}(?:(?:#|%(?:25)*23)(?:(\\d{1,7})|[xX]([0-9A-Fa-f]{1,6}))|[A-Za-z]{2,6}(?=;))`,
    '((?:%(?:25)*[89A-Fa-f][0-9A-Fa-f])+|%(?:25)*[0-7][0-9A-Fa-f])',
    // A value is not looked for across lines.
    '[\\p{L}\\p{N}\\n]',
  ].join('|'),
  'gu',
)

/**
 * Reads a text past everything that a program may have written around the letters of a value: backslashes, quotes, percent signs, entities, one
 * around another.
 */
export function lettersOf(text: string): Letters {
  let letters = ''
  const starts: number[] = []
  const ends: number[] = []
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, unit, byte, control, decimal, hex, percent] = match
    const decoded =
      whole.length < 3 && /^[\p{L}\p{N}\n]$/u.test(whole)
        ? whole
        : percent !== undefined
          ? Buffer.from(percent.replace(/%(?:25)*/g, ''), 'hex').toString('utf8')
          : control !== undefined
            ? ''
            : pointOf(unit ?? byte ?? hex, decimal)
    for (const sign of decoded.toLowerCase()) {
      if (!/[\p{L}\p{N}\n]/u.test(sign)) continue
      for (let index = 0; index < sign.length; index += 1) {
        starts.push(match.index)
        ends.push(match.index + whole.length)
      }
      letters += sign
    }
  }
  return { text: letters, starts, ends }
}

function pointOf(hex: string | undefined, decimal: string | undefined): string {
  const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal ?? 0)
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
}
