import type { SecretKind, Span } from '../pseudonyms.ts'
import { hiddenIn } from '../text/run.ts'
import { createTextSearch, STEM_LENGTH } from './text-search.ts'

/** Letters and digits of a text without escapes and punctuation, each with its offset in the text. */
interface Letters {
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
 * Reads the letters of a text, and skips everything that a program may have written around them: backslashes, quotes, percent signs, entities, even
 * nested.
 */
function lettersOf(text: string): Letters {
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

const hex2 = (byte: number) => byte.toString(16).padStart(2, '0')
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const escapeUnit = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
const asciiJson = (text: string) => json(text).replace(/[^\x20-\x7e]/g, escapeUnit)
const percent = (text: string, safe: RegExp) =>
  [...Buffer.from(text)]
    .map((byte) =>
      safe.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${hex2(byte)}`,
    )
    .join('')
const html = (text: string, apostrophe: string, quote = '&quot;') => {
  const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': quote, "'": apostrophe }
  return text.replace(/[&<>"']/g, (sign) => entities[sign as keyof typeof entities])
}
/** Base64 of bytes at any offset within a group, without the first and last letter if these also contain bits of neighbouring bytes. */
const insideBase64 = (bytes: Buffer, before: number): string => {
  const text = Buffer.concat([Buffer.alloc(before), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  return text.slice(
    before === 0 ? 0 : before + 1,
    text.length - ((bytes.length + before) % 3 === 0 ? 0 : 1),
  )
}

/** Encodings in which programs write a text with special characters; most leave letters and digits unchanged. */
const WRITERS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD'),
  json,
  asciiJson,
  (text) => asciiJson(text).replace(/[<>&]/g, escapeUnit),
  (text) => asciiJson(text).replaceAll('/', '\\/'),
  (text) => percent(text, /[A-Za-z0-9_.!~*'()-]/),
  (text) => percent(text, /[A-Za-z0-9_.~/-]/),
  (text) => percent(text, /[A-Za-z0-9_.*-]/).replaceAll('%20', '+'),
  (text) => percent(text, /[ -<>-~]/).replaceAll('%', '='),
  (text) => percent(text, /[!-<>-~]/).replaceAll('%', '='),
  (text) => text.replaceAll(' ', '+'),
  (text) => html(text, '&#39;'),
  (text) => html(text, '&#x27;'),
  (text) => html(text, '&apos;'),
  (text) => html(text, '&#39;', '&#34;'),
  (text) => text.replaceAll("'", "'\\''"),
  (text) => text.replace(/["']/g, '$&$&'),
  (text) => text.replace(/[^A-Za-z0-9_./:=@%+,\-\u0080-\uffff]/g, '\\$&'),
]

/** Encodings that leave nothing of a text readable. */
const ENCODERS: readonly ((text: string) => string)[] = [
  ...[0, 1, 2].flatMap((before) => [
    (text: string) => insideBase64(Buffer.from(text), before),
    (text: string) =>
      insideBase64(Buffer.from(text), before).replaceAll('+', '-').replaceAll('/', '_'),
  ]),
  (text) => Buffer.from(text).toString('hex'),
  ...[',', ', ', ' '].map((between) => (text: string) => [...Buffer.from(text)].join(between)),
]
const ENCODED_LENGTH_MIN = 6

/** The spellings by which a value is found in any encoding, in small letters. */
function spellingsOf(value: string): ReadonlySet<string> {
  const written = WRITERS.map((write) => write(value)).filter(({ length }) => length >= STEM_LENGTH)
  const encoded = ENCODERS.map((encode) => encode(value))
  return new Set(
    [...written, ...encoded.filter(({ length }) => length >= ENCODED_LENGTH_MIN)].map(folded),
  )
}

/** A value that must not remain anywhere, in any spelling. */
export interface KnownValue {
  readonly value: string
  readonly kind: SecretKind
  /** True for a short or common value, which counts only as a whole word; a long one counts anywhere. */
  readonly asWord: boolean
}

/** Length of a piece; a longer value is found by each of its pieces. */
const PIECE_LENGTH = 1024
const LINE_LENGTH_MIN = 12

/** Finds known values in any spelling. */
export type KnownValues = ReturnType<typeof createKnownValues>

export function createKnownValues(values: readonly KnownValue[]) {
  const bySpelling = new Map<string, KnownValue>()
  const byLetters = new Map<string, KnownValue>()
  for (const known of values)
    for (const piece of piecesOf(known.value)) {
      for (const spelling of spellingsOf(piece))
        if (bySpelling.get(spelling)?.asWord !== false) bySpelling.set(spelling, known)
      const letters = tellingLettersOf(piece)
      if (letters !== null) byLetters.set(letters, known)
    }
  const findSpellings = createTextSearch(bySpelling)
  const findLetters = createTextSearch(byLetters)
  return {
    /** Length of the longest spelling. */
    reach: Math.max(lengthIn(bySpelling), 4 * lengthIn(byLetters)),
    find(text: string): readonly Span[] {
      const spans: Span[] = []
      findSpellings(folded(text), ({ value, kind, asWord }, start, end) => {
        if (!asWord || !isInWord(text, start, end)) spans.push({ start, end, kind, value })
      })
      if (byLetters.size === 0) return spans
      const { text: letters, starts, ends } = lettersOf(text)
      findLetters(letters, ({ value, kind }, from, to) =>
        spans.push({ start: starts[from] ?? 0, end: ends[to - 1] ?? 0, kind, value }),
      )
      return spans
    },
  }
}

function lengthIn(byText: ReadonlyMap<string, KnownValue>): number {
  return [...byText.keys()].reduce((most, { length }) => Math.max(most, length), 0)
}

const LETTERS_MIN = 6
const WORD_LETTERS_MIN = 10

/** The letters of a value with special characters, by which it is found whatever stands between them; null if they are too few or too common. */
function tellingLettersOf(value: string): string | null {
  const { text } = lettersOf(value)
  if (text === value.toLowerCase() || !/\p{L}/u.test(text)) return null
  return text.length >= (hiddenIn(text).length > 0 ? LETTERS_MIN : WORD_LETTERS_MIN) ? text : null
}

/** The text in lower case, with the same length so that positions still match. Letters whose lower case is longer stay. */
function folded(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length
    ? lower
    : text.replace(/[\s\S]/g, (sign) =>
        sign.toLowerCase().length === 1 ? sign.toLowerCase() : sign,
      )
}

/** The pieces of a long value, and each long line of a value with several lines. */
function piecesOf(value: string): readonly string[] {
  const pieces: string[] = []
  for (let from = 0; from < value.length; from += PIECE_LENGTH)
    pieces.push(value.slice(from, from + PIECE_LENGTH))
  if (pieces.length > 1 && (pieces.at(-1)?.length ?? 0) < LINE_LENGTH_MIN) pieces.pop()
  if (!/[\r\n]/.test(value)) return pieces
  const lines = value.split(/[\r\n]+/).map((line) => line.trim().slice(0, PIECE_LENGTH))
  return [...pieces, ...lines.filter(({ length }) => length >= LINE_LENGTH_MIN)]
}

/** True if the match is part of a longer word or number. */
function isInWord(text: string, start: number, end: number): boolean {
  const isWordSign = (sign: string | undefined) =>
    sign !== undefined && /[\w\u0080-\uffff]/.test(sign)
  return isWordSign(text[start - 1]) || isWordSign(text[end])
}
