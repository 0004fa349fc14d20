import type { SecretKind, Span } from '../span.ts'
import { hiddenIn } from '../text/run.ts'
import { createAutomaton } from './automaton.ts'
import { lettersOf } from './letters.ts'
import { spellingsOf } from './spellings.ts'

/** A value that must not remain anywhere, in any spelling. */
export interface KnownValue {
  readonly value: string
  readonly kind: SecretKind
  /** A short or common value only counts as a whole word, a long one anywhere. */
  readonly asWord: boolean
}

/** Finds known values in any spelling. */
export interface KnownValues {
  readonly size: number
  /** Length of the longest spelling. */
  readonly reach: number
  find(text: string): readonly Span[]
}

export const NOTHING_KNOWN: KnownValues = { size: 0, reach: 0, find: () => [] }

/** A longer value is found by each of its pieces. */
const PIECE_LENGTH = 1024
const LINE_LENGTH_MIN = 12

export function createKnownValues(values: readonly KnownValue[]): KnownValues {
  if (values.length === 0) return NOTHING_KNOWN
  const bySpelling = new Map<string, KnownValue>()
  const byLetters = new Map<string, KnownValue>()
  for (const known of values)
    for (const piece of piecesOf(known.value)) {
      for (const spelling of spellingsOf(piece).map(folded))
        if (bySpelling.get(spelling)?.asWord !== false) bySpelling.set(spelling, known)
      const letters = tellingLettersOf(piece)
      if (letters !== null) byLetters.set(letters, known)
    }
  const spellings = createSearch(bySpelling)
  const letters = createSearch(byLetters)
  return {
    size: values.length,
    reach: Math.max(spellings.reach, 4 * letters.reach),
    find(text) {
      const spans: Span[] = []
      spellings.find(folded(text), ({ value, kind, asWord }, start, end) => {
        if (!asWord || !isInWord(text, start, end)) spans.push({ start, end, kind, value })
      })
      if (byLetters.size > 0) {
        const read = lettersOf(text)
        letters.find(read.text, ({ value, kind }, from, to) =>
          spans.push({ start: read.starts[from] ?? 0, end: read.ends[to - 1] ?? 0, kind, value }),
        )
      }
      return spans
    },
  }
}

function createSearch(byText: ReadonlyMap<string, KnownValue>) {
  const texts = [...byText.keys()]
  const automaton = createAutomaton(texts)
  return {
    reach: texts.reduce((most, { length }) => Math.max(most, length), 0),
    find(text: string, found: (known: KnownValue, start: number, end: number) => void): void {
      if (texts.length === 0) return
      automaton.scan(text, (index, end) => {
        const part = texts[index] ?? ''
        const known = byText.get(part)
        const start = end - part.length
        if (known !== undefined && text.startsWith(part, start)) found(known, start, end)
      })
    },
  }
}

const LETTERS_MIN = 6
const WORD_LETTERS_MIN = 10

/** The letters of a value with signs, by which it is found whatever was written between them; null where they would be found in any text. */
function tellingLettersOf(value: string): string | null {
  const { text } = lettersOf(value)
  if (text === value.toLowerCase() || !/\p{L}/u.test(text)) return null
  return text.length >= (hiddenIn(text).length > 0 ? LETTERS_MIN : WORD_LETTERS_MIN) ? text : null
}

/** Small letters, one for one: some capital letters beyond ASCII have small ones that are longer. */
function folded(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length
    ? lower
    : text.replace(/[\s\S]/g, (sign) =>
        sign.toLowerCase().length === 1 ? sign.toLowerCase() : sign,
      )
}

/** A long value in pieces, and each long line of one that has several. */
function piecesOf(value: string): readonly string[] {
  const pieces: string[] = []
  for (let from = 0; from < value.length; from += PIECE_LENGTH)
    pieces.push(value.slice(from, from + PIECE_LENGTH))
  if (pieces.length > 1 && (pieces.at(-1)?.length ?? 0) < LINE_LENGTH_MIN) pieces.pop()
  if (!/[\r\n]/.test(value)) return pieces
  const lines = value.split(/[\r\n]+/).map((line) => line.trim().slice(0, PIECE_LENGTH))
  return [...pieces, ...lines.filter(({ length }) => length >= LINE_LENGTH_MIN)]
}

/** True if a longer word or number goes on before or behind. */
function isInWord(text: string, start: number, end: number): boolean {
  const isWordSign = (sign: string | undefined) =>
    sign !== undefined && /[\w\u0080-\uffff]/.test(sign)
  return isWordSign(text[start - 1]) || isWordSign(text[end])
}
