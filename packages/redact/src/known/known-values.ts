import type { SecretKind, Span } from '../span.ts'
import { decodedRuns } from '../spellings/encoded-runs.ts'
import { placeIn, plainReading, type Reading, textOfReading } from '../spellings/reading.ts'
import { spellingsOf } from '../spellings/spellings-of.ts'
import { type EscapeKind, unescaped } from '../spellings/unescape.ts'
import { type Automaton, createAutomaton } from './automaton.ts'

/** A value that must not remain anywhere, in any spelling. Byte text. */
export interface KnownValue {
  readonly value: string
  readonly kind: SecretKind
  /** A short or common value only counts as a whole word, a long one anywhere. */
  readonly asWord: boolean
}

/** Finds known values in any encoding. */
export interface KnownValues {
  readonly size: number
  find(text: string): Span[]
}

/** Used in the first pass, in which nothing is known yet. */
export const NOTHING_KNOWN: KnownValues = { size: 0, find: () => [] }

/** Nested encodings that are undone. */
const DEPTH_MAX = 4
type Place = (from: number, to: number) => readonly [number, number]

export function createKnownValues(values: readonly KnownValue[]): KnownValues {
  if (values.length === 0) return NOTHING_KNOWN
  const patterns: string[] = []
  const valueOfPattern: number[] = []
  for (const [index, { value }] of values.entries()) {
    for (const spelling of spellingsOf(value)) {
      patterns.push(spelling)
      valueOfPattern.push(index)
    }
  }
  const automaton = createAutomaton(patterns)
  const kinds = kindsFor(values)
  return {
    size: values.length,
    find(text) {
      const spans: Span[] = []
      const search = (reading: Reading, place: Place) => {
        searchReading(automaton, reading, (pattern, end) => {
          const known = values[valueOfPattern[pattern] ?? 0]
          const start = end - (patterns[pattern]?.length ?? 0)
          if (known === undefined || (known.asWord && !isWord(reading, start, end))) return
          const [from, to] = place(start, end)
          spans.push({
            start: from,
            end: to,
            kind: known.kind === 'email' ? 'email' : 'known',
            value: known.value,
            certainty: 'here',
          })
        })
      }
      visit(plainReading(text), (from, to) => [from, to], 0, { search, kinds })
      return spans
    },
  }
}

interface Visit {
  readonly search: (reading: Reading, place: Place) => void
  readonly kinds: readonly EscapeKind[]
}

/** Searches a reading, and then its decoded readings. */
function visit(reading: Reading, place: Place, depth: number, context: Visit): void {
  context.search(reading, place)
  if (depth === DEPTH_MAX) return
  const text = textOfReading(reading)
  const below = (child: Reading): Place => {
    return (from, to) => place(...placeIn(child, from, to))
  }
  for (const kind of depth < 2 ? context.kinds : ONE_KIND) {
    const child = unescaped(text, kind)
    if (child === null) continue
    if (kind === 'all') {
      visit(child, below(child), depth + 1, context)
      continue
    }
    context.search(child, below(child))
    for (const second of context.kinds) {
      if (second === 'all' || second === kind) continue
      const grandchild = unescaped(textOfReading(child), second)
      if (grandchild !== null)
        context.search(grandchild, (from, to) => below(child)(...placeIn(grandchild, from, to)))
    }
  }
  for (const { all, readable } of decodedRuns(text)) {
    context.search(all, below(all))
    if (readable !== null) visit(readable, below(readable), depth + 1, context)
  }
}

const ONE_KIND: readonly EscapeKind[] = ['all']

/**
 * Escape kinds to read. A value that contains the sign of an escape is also searched after reading a single kind: reading all kinds would change it.
 */
function kindsFor(values: readonly KnownValue[]): readonly EscapeKind[] {
  const has = (sign: RegExp) => values.some(({ value }) => sign.test(value))
  const kinds: EscapeKind[] = ['all', 'quoted-printable', 'breaks']
  // A shell interrupts its quotes to write one of these. Reading all kinds would take its backslash with the encoding around it.
  const isQuotedApart = has(/['"\\`^]/)
  if (isQuotedApart || has(/[%&]/)) kinds.push('backslash', 'percent', 'entity')
  if (isQuotedApart) kinds.push('quotes')
  return kinds
}

function searchReading(
  automaton: Automaton,
  { bytes, length }: Reading,
  found: (pattern: number, end: number) => void,
): void {
  automaton.scan(bytes, length, found)
}

/** True unless the bytes are part of a longer word or number. */
function isWord({ bytes, length }: Reading, start: number, end: number): boolean {
  return (
    !isWordByte(start > 0 ? (bytes[start - 1] ?? 0) : 0) &&
    !isWordByte(end < length ? (bytes[end] ?? 0) : 0)
  )
}

function isWordByte(byte: number): boolean {
  return (
    (byte >= 48 && byte <= 57) ||
    (byte >= 65 && byte <= 90) ||
    (byte >= 97 && byte <= 122) ||
    byte >= 0x80 ||
    byte === 0x5f
  )
}
