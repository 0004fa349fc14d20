/** Moves a cursor, ends a line or turns the direction of text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]|\p{Bidi_Control}/gu
const COLOUR = '\u001b\\[\\d{1,2}m'
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Not the line breaks and colours of the program's own. */
const FOREIGN_CONTROLS = new RegExp(`(?!\r?\n|${COLOUR})(?:${CONTROLS.source})`, 'gu')

const escaped = (text: string, signs: RegExp) =>
  text.replace(signs, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)

/** A foreign text as part of a line of a terminal: what nobody sees, or would move the cursor or end the line, is an escape as `\u{1b}`. */
export function printable(text: string): string {
  return escaped(text, INVISIBLE)
}

/** A foreign text for a file that a terminal may show; joined signs, as those of emojis, stay. */
export function withoutControls(text: string): string {
  return escaped(text, CONTROLS)
}

/** Lines for a terminal, whatever went into them: only their breaks and colours stay. */
export function printableLines(text: string): string {
  return escaped(text, FOREIGN_CONTROLS)
}

/** JSON that a terminal may show: the same value, its invisible signs as escapes. */
export function printableJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, at) => unitEscape(sign.charCodeAt(at))).join(''),
  )
}

const unitEscape = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`
