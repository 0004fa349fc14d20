/** Characters that move the cursor, end a line or change the direction of text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]|\p{Bidi_Control}/gu
const COLOUR = '\u001b\\[\\d{1,2}m'
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Control characters except line breaks and the program's own colours. */
const FOREIGN_CONTROLS = new RegExp(`(?!\r?\n|${COLOUR})(?:${CONTROLS.source})`, 'gu')

const escaped = (text: string, signs: RegExp) =>
  text.replace(signs, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)

/** Foreign text for one terminal line: invisible and control characters are escaped, for example `\u{1b}`. */
export function printable(text: string): string {
  return escaped(text, INVISIBLE)
}

/** Foreign text without control characters, for a file that a terminal may show. Keeps joiners, as in emojis. */
export function withoutControls(text: string): string {
  return escaped(text, CONTROLS)
}

/** Lines for a terminal; of the control characters, only line breaks and colours are kept. */
export function printableLines(text: string): string {
  return escaped(text, FOREIGN_CONTROLS)
}

/** JSON that a terminal may show: the same value with invisible characters escaped. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => unitEscape(sign.charCodeAt(at))).join(''),
  )
}

const unitEscape = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`
