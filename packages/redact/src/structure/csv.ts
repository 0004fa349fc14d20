import type { Span } from '../span.ts'

import { type Columns, cellsBetween, createColumns, type Field, fieldSpan } from './fields.ts'
import type { Scanner, Token } from './scanner.ts'

const BYTE_ORDER_MARK = '\xef\xbb\xbf'
/** The first line of a table may name the delimiter. */
const NAMED_DELIMITER = /^"?sep=(.)"?[ \t\r]*$/i
const DELIMITERS = [',', ';', '\t', '|'] as const

/** Finds what to hide in a cell that holds a document. */
type InsideCell = (document: string) => readonly Span[]

/** Reads CSV with any of the usual delimiters. In a row that does not fit the head, everything is hidden that is not plainly harmless. */
export function createCsvScanner(inside: InsideCell): Scanner {
  const columns = createColumns()
  let delimiter: string | null = null
  let settled = 0
  let tokens: Token[] = []
  let soundTo = Number.POSITIVE_INFINITY

  return {
    get settled() {
      return settled
    },
    get soundTo() {
      return soundTo
    },
    takeTokens() {
      const taken = tokens
      tokens = []
      return taken
    },
    scan(text, base, isLast) {
      const spans: Span[] = []
      let at = settled - base
      if (base === 0 && at === 0 && text.startsWith(BYTE_ORDER_MARK)) at = BYTE_ORDER_MARK.length
      while (at < text.length) {
        delimiter ??= delimiterOf(text, at, isLast)
        if (delimiter === null) break
        if (columns.width === null) {
          const end = cellEnd(text, at, isLast) ?? text.length
          if (NAMED_DELIMITER.test(text.slice(at, end))) {
            at = Math.min(text.length, end + 1)
            continue
          }
        }
        const row = rowAt(text, at, delimiter, isLast)
        if (row === null) break
        const cells = row.cells.length
        const spoils =
          !row.isSound ||
          (columns.width !== null &&
            cells !== columns.width &&
            text.slice(at, row.next - 1).includes('\n'))
        const taken = spoils ? plainRowAt(text, at, delimiter, isLast) : row
        if (taken === null) break
        if (!taken.isSound) soundTo = Math.min(soundTo, base + at)
        for (const { start, end } of taken.cells)
          tokens.push({ start: base + start, end: base + end, isText: true })
        spans.push(...hiddenIn(columns, inside, text, base, taken))
        at = taken.next
      }
      settled = base + at
      return spans
    },
  }
}

/** Hidden stretches of a row. A row that reads like a head is learned from. */
function hiddenIn(
  columns: Columns,
  inside: InsideCell,
  text: string,
  base: number,
  row: Row,
): readonly Span[] {
  const values = row.cells.map(({ value }) => value)
  if (values.length === 1 && (values[0] === '' || /^#/.test(values[0] ?? ''))) return []
  const isAligned = row.isSound && (columns.width === null || values.length === columns.width)
  if ((isAligned || columns.width === 1) && columns.takeHead(values)) return []
  const rules = columns.rulesFor(values, isAligned)
  const spans: Span[] = []
  for (const [index, cell] of row.cells.entries()) {
    const rule = rules[index] ?? null
    const { start, end, value } = cell
    if (rule !== null) spans.push(fieldSpan(rule, { start: base + start, end: base + end, value }))
    else if (/^[ \t\r\n]{0,16}[{[]/.test(value)) spans.push(...inDocument(inside, text, base, cell))
  }
  return spans
}

/** The delimiter given by `sep=`, else the one most frequent in the head. */
function delimiterOf(text: string, at: number, isLast: boolean): string | null {
  for (let from = at; from < text.length; ) {
    const newline = cellEnd(text, from, isLast)
    if (newline === null && !isLast && text.length - from < ROW_LENGTH_MAX) return null
    const line = text.slice(from, newline ?? text.length)
    const named = NAMED_DELIMITER.exec(line)?.[1]
    if (named !== undefined) return named
    if (line.trim() !== '' && !line.startsWith('#')) {
      const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
      return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
    }
    if (newline === null) break
    from = newline + 1
  }
  return isLast ? ',' : null
}

/** Hidden stretches of a document in a cell, where quotes are doubled. */
function inDocument(
  inside: InsideCell,
  text: string,
  base: number,
  { start, end, isQuoted }: Cell,
): readonly Span[] {
  const raw = text.slice(start, end)
  const signs = raw.matchAll(isQuoted ? /""|./gs : /./gs)
  const places = Array.from(signs, ({ index }) => base + start + index)
  places.push(base + end)
  return inside(isQuoted ? raw.replaceAll('""', '"') : raw).map((span) => ({
    ...span,
    start: places[span.start] ?? base + end,
    end: places[span.end] ?? base + end,
    ...(span.quote === undefined ? {} : { quote: isQuoted ? '""' : '"' }),
  }))
}

/** A longer row is not a row: a quote was not closed. */
export const ROW_LENGTH_MAX = 128 * 1024

/** A cell without its quotes. */
interface Cell extends Field {
  readonly isQuoted: boolean
}

interface Row {
  readonly cells: readonly Cell[]
  /** Offset behind the line break. */
  readonly next: number
  /** False for a row whose quotes do not fit. */
  readonly isSound: boolean
}

/** By RFC 4180; null when the end of the row has not been seen yet. */
export function rowAt(text: string, from: number, delimiter: string, isLast: boolean): Row | null {
  const cells: Cell[] = []
  const waits = !isLast && text.length - from < ROW_LENGTH_MAX
  let isSound = true
  for (let at = from; ; ) {
    const isQuoted = text[at] === '"'
    const start = isQuoted ? at + 1 : at
    if (isQuoted) {
      const close = closingQuote(text, start)
      if (close === null || close - from > ROW_LENGTH_MAX)
        return waits ? null : { cells: [], next: from, isSound: false }
      at = close + 1
      cells.push({
        start,
        end: close,
        value: text.slice(start, close).replaceAll('""', '"'),
        isQuoted,
      })
    }
    const to = cellEnd(text, at, isLast, delimiter) ?? (waits ? null : text.length)
    if (to === null) return null
    const end = text[to] === '\n' && text[to - 1] === '\r' ? to - 1 : to
    if (!isQuoted) cells.push(bareCell(text, at, end))
    if (isQuoted ? end > at : text.slice(at, end).includes('"')) isSound = false
    if (to >= text.length || isBreak(text, to))
      return { cells, next: Math.min(text.length, to + 1), isSound }
    at = to + 1
  }
}

function bareCell(text: string, start: number, end: number): Cell {
  return { start, end, value: text.slice(start, end).trim(), isQuoted: false }
}

/** One line, whatever its quotes say. */
export function plainRowAt(
  text: string,
  from: number,
  delimiter: string,
  isLast: boolean,
): Row | null {
  const newline = cellEnd(text, from, isLast)
  if (newline === null && !isLast && text.length - from < ROW_LENGTH_MAX) return null
  const end = newline ?? text.length
  const cells = cellsBetween(text, from, end, delimiter, /["' ]/, /["\r ]/)
  return {
    cells: cells.map(({ start, end }) => bareCell(text, start, end)),
    next: Math.min(text.length, end + 1),
    isSound: false,
  }
}

function closingQuote(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2))
    if (text[at + 1] !== '"') return at
  return null
}

/** Offset of the delimiter, or of the line break: older programs write a carriage return alone. Null if it has not been seen yet. */
export function cellEnd(
  text: string,
  from: number,
  isLast: boolean,
  delimiter = '\n',
): number | null {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === delimiter) return at
    if (isBreak(text, at)) return at + 1 === text.length && text[at] === '\r' && !isLast ? null : at
  }
  return null
}

function isBreak(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)
}
