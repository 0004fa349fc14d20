import type { Span } from '../span.ts'
import { createColumns } from './columns.ts'
import { jsonScanner } from './nested-json.ts'
import type { Scanner } from './scanner.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const
/** A longer row is no row: a quote was not closed. */
const ROW_LENGTH_MAX = 128 * 1024

interface Cell {
  readonly start: number
  readonly end: number
  readonly isQuoted: boolean
}

interface Row {
  readonly cells: readonly Cell[]
  /** Offset behind the line break. */
  readonly next: number
  /** False for a row whose quotes do not fit. */
  readonly isSound: boolean
}

/** Reads CSV with any of the usual delimiters. A row that does not fit the head is hidden but for what is plainly harmless. */
export function createCsvScanner(): Scanner {
  const columns = createColumns()
  let delimiter: string | null = null
  let settled = 0

  const take = (spans: Span[], text: string, base: number, row: Row) => {
    const values = row.cells.map((cell) => cellValue(text, cell))
    if (values.length === 1 && (values[0] === '' || /^(?:#|sep=)/i.test(values[0] ?? ''))) return
    const isAligned = row.isSound && (columns.width === null || values.length === columns.width)
    if (isAligned || columns.width === 1) {
      if (columns.takeHead(values)) return
    }
    const rules = columns.rulesFor(values, isAligned)
    for (const [index, cell] of row.cells.entries()) {
      const rule = rules[index]
      const value = values[index] ?? ''
      if (rule !== null && rule !== undefined) {
        const kind = value.includes('@') && /^[^ \t\r\n@]{1,128}@[^ \t\r\n@]{1,255}$/.test(value) ? 'email' : rule.kind
        spans.push({ start: base + cell.start, end: base + cell.end, kind, value, certainty: 'named' })
      } else if (/^[ \t\r\n]{0,16}[{[]/.test(value)) spans.push(...inCell(text, base, cell))
    }
  }

  return {
    get settled() {
      return settled
    },
    scan(text, base, isLast) {
      const spans: Span[] = []
      let at = settled - base
      while (at < text.length) {
        delimiter ??= delimiterOf(text, at, isLast)
        if (delimiter === null) break
        const row = rowAt(text, at, delimiter, isLast)
        if (row === null) break
        const cells = row.cells.length
        const spoils = !row.isSound || (columns.width !== null && cells !== columns.width && text.slice(at, row.next - 1).includes('\n'))
        const taken = spoils ? plainRowAt(text, at, delimiter, isLast) : row
        if (taken === null) break
        take(spans, text, base, taken)
        at = taken.next
      }
      settled = base + at
      return spans
    },
  }
}

/** By `sep=`, else by what the head has most of. */
function delimiterOf(text: string, at: number, isLast: boolean): string | null {
  for (let from = at; from < text.length; ) {
    const newline = text.indexOf('\n', from)
    if (newline < 0 && !isLast && text.length - from < ROW_LENGTH_MAX) return null
    const line = text.slice(from, newline < 0 ? text.length : newline)
    const named = /^\ufeff?(?:\xef\xbb\xbf)?"?sep=(.)/i.exec(line)?.[1]
    if (named !== undefined) return named
    if (line.trim() !== '' && !line.startsWith('#')) {
      const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
      return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
    }
    if (newline < 0) break
    from = newline + 1
  }
  return isLast ? ',' : null
}

/** By RFC 4180; null when the end of the row has not been seen yet. */
function rowAt(text: string, from: number, delimiter: string, isLast: boolean): Row | null {
  const cells: Cell[] = []
  let isSound = true
  for (let at = from; ; ) {
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1)
      if (close === null || close - from > ROW_LENGTH_MAX) {
        if (!isLast && text.length - from < ROW_LENGTH_MAX) return null
        return { cells: [], next: from, isSound: false }
      }
      cells.push({ start: at + 1, end: close, isQuoted: true })
      at = close + 1
      if (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') isSound = false
    }
    const end = cellEnd(text, at, delimiter)
    if (end === null && !isLast && text.length - from < ROW_LENGTH_MAX) return null
    const to = end ?? text.length
    if (text[at - 1] !== '"' || cells.at(-1)?.end !== at - 1) {
      const isLastOfLine = text[to] === '\n' && text[to - 1] === '\r'
      cells.push({ start: at, end: isLastOfLine ? to - 1 : to, isQuoted: false })
      if (text.slice(at, to).includes('"')) isSound = false
    }
    if (to >= text.length || text[to] === '\n') return { cells, next: Math.min(text.length, to + 1), isSound }
    at = to + 1
  }
}

/** One line, whatever its quotes say. */
function plainRowAt(text: string, from: number, delimiter: string, isLast: boolean): Row | null {
  const newline = text.indexOf('\n', from)
  if (newline < 0 && !isLast && text.length - from < ROW_LENGTH_MAX) return null
  const end = newline < 0 ? text.length : newline
  const cells: Cell[] = []
  for (let at = from; at <= end; ) {
    const next = text.indexOf(delimiter, at)
    const to = next < 0 || next > end ? end : next
    const [start, stop] = withoutQuotes(text, at, to)
    cells.push({ start, end: stop, isQuoted: false })
    at = to + 1
  }
  return { cells, next: Math.min(text.length, end + 1), isSound: false }
}

function withoutQuotes(text: string, from: number, to: number): readonly [number, number] {
  let [start, end] = [from, to]
  while (end > start && /["\r ]/.test(text[end - 1] ?? '')) end -= 1
  while (start < end && /["' ]/.test(text[start] ?? '')) start += 1
  return [start, end]
}

function closingQuote(text: string, from: number): number | null {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at
  return null
}

function cellEnd(text: string, from: number, delimiter: string): number | null {
  for (let at = from; at < text.length; at += 1) if (text[at] === delimiter || text[at] === '\n') return at
  return null
}

function cellValue(text: string, { start, end, isQuoted }: Cell): string {
  const raw = text.slice(start, end)
  return isQuoted ? raw.replaceAll('""', '"') : raw.trim()
}

/** A document in a cell; its quotes are doubled. */
function inCell(text: string, base: number, { start, end, isQuoted }: Cell): readonly Span[] {
  const raw = text.slice(start, end)
  const starts: number[] = []
  let plain = ''
  for (let at = 0; at < raw.length; at += 1) {
    starts.push(at)
    plain += raw[at]
    if (isQuoted && raw[at] === '"' && raw[at + 1] === '"') at += 1
  }
  starts.push(raw.length)
  return jsonScanner({ nesting: 1 })
    .scan(plain, 0, true)
    .map((span) => ({
      ...span,
      start: base + start + (starts[span.start] ?? 0),
      end: base + start + (starts[span.end] ?? raw.length),
      ...(span.quote === undefined ? {} : { quote: isQuoted ? '""' : '"' }),
    }))
}
