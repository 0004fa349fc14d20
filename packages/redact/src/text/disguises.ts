import type { Span } from '../pseudonyms.ts'

const DECIMALS = /(?<![\d.])-?\d{1,3}(?:(?:[ \t]?[,;:| ][ \t]?|%2c)-?\d{1,3}){5,}(?![\d.])/gi
const HEXADECIMALS =
  /(?<![0-9A-Za-z])(?:0x|\\x)?[0-9A-Fa-f]{2}(?:[ \t,:;-]{1,2}(?:0x|\\x)?[0-9A-Fa-f]{2}){4,}(?![0-9A-Za-z])/g
/** A line of `hexdump`, `xxd` or `od`, with its offset and, after the bytes, their readable text. */
const DUMP =
  /^.{0,64}?\b(?:[0-9A-Fa-f]{6,8}:?[ \t]+(?:(?:[0-9A-Fa-f]{2}|[0-9A-Fa-f]{4}|[0-7]{3}|[0-7]{6})[ \t]+){3,}.*|[0-9A-Fa-f]{8}[ \t]+(?:[0-9A-Fa-f]{2}[ \t]+)+\|.*\|)$/
const LETTERS_APART = /(?<!\S)(?:\S[ \t]+){7,}\S(?!\S)/g
/** Runs of escapes; shorter ones may be a single letter beyond ASCII. */
const ESCAPES =
  /(?:\\x[0-9A-F]{2}|=[0-9A-F]{2}){4,}|(?:(?:&|\\{1,4}u0026|%(?:25){0,4}26)(?:amp;)?(?:#|%(?:25){0,4}23)x?[0-9A-F]{1,6}(?:;|%(?:25){0,4}3b)){3,}/gi

/** Cheap test for a line that may have one of them. */
const MAYBE_DISGUISED =
  /[\dA-Fa-f]{2}[\s,:;|-]+-?(?:0x|\\x)?[\dA-Fa-f]{2}|\d(?:[,;|:]|%2c)|=[\dA-F]{2}|(?<!\S)\S[ \t]+\S(?!\S)|\\x|(?:#|%23)x?\d/i

/** Texts written as character codes or spaced letters: lists of bytes, dumps, and letters separated by blanks. */
export function disguisedIn(line: string): readonly Span[] {
  if (!MAYBE_DISGUISED.test(line)) return []
  if (DUMP.test(line)) return [{ start: 0, end: line.trimEnd().length, kind: 'hidden' }]
  const spans: Span[] = []
  const add = (shape: RegExp, isText: (match: string) => boolean) => {
    for (const { 0: match, index } of line.matchAll(shape))
      if (isText(match)) spans.push({ start: index, end: index + match.length, kind: 'hidden' })
  }
  add(DECIMALS, (list) => isTextOf(numbersIn(list, 10)))
  add(HEXADECIMALS, (list) => isTextOf(numbersIn(list, 16)))
  add(
    LETTERS_APART,
    (letters) => (letters.match(/[\p{L}\d@.]/gu) ?? []).length > 5 && /[\p{L}@]/u.test(letters),
  )
  add(ESCAPES, () => true)
  return spans
}

function numbersIn(list: string, radix: 10 | 16): readonly number[] {
  const numbers = list
    .replace(/0x|\\x|%2c/gi, ' ')
    .match(radix === 10 ? /-?\d+/g : /[0-9A-Fa-f]{2}/g)
  return (numbers ?? []).map((digits) => Number.parseInt(digits, radix) & 255)
}

const LETTERS_SHARE = 0.5

/** True for bytes that are readable text. */
export function isTextOf(bytes: readonly number[]): boolean {
  const letters = bytes.filter((byte) => /[A-Za-z0-9\u0080-\u00ff]/.test(String.fromCharCode(byte)))
  return (
    bytes.every((byte) => byte > 31 || [9, 10, 13, 27].includes(byte)) &&
    letters.length >= LETTERS_SHARE * bytes.length
  )
}
