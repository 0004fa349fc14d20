import type { Span } from '../span.ts'
import { type Columns, createColumns } from './columns.ts'
import {
  breakFrom,
  type Cell,
  cellValue,
  plainRowAt,
  ROW_LENGTH_MAX,
  type Row,
  rowAt,
} from './csv-rows.ts'
import { jsonScanner } from './nested-json.ts'
import type { Scanner, Token } from './scanner.ts'

const BYTE_ORDER_MARK = '\xef\xbb\xbf'
/** The first line of a table may name the delimiter. */
const NAMED_DELIMITER = /^"?sep=(.)"?[ \t\r]*$/i
const DELIMITERS = [',', ';', '\t', '|'] as const

/** Reads CSV with any of the usual delimiters. In a row that does not fit the head, everything is hidden that is not plainly harmless. */
export function createCsvScanner(): Scanner {
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
          const end = breakFrom(text, at, isLast) ?? text.length
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
        spans.push(...hiddenCells(columns, text, base, taken))
        at = taken.next
      }
      settled = base + at
      return spans
    },
  }
}

/** Hidden stretches of a row. A row that reads like a head is learned from. */
function hiddenCells(columns: Columns, text: string, base: number, row: Row): readonly Span[] {
  const values = row.cells.map((cell) => cellValue(text, cell))
  if (values.length === 1 && (values[0] === '' || /^#/.test(values[0] ?? ''))) return []
  const isAligned = row.isSound && (columns.width === null || values.length === columns.width)
  if (isAligned || columns.width === 1) {
    if (columns.takeHead(values)) return []
  }
  const rules = columns.rulesFor(values, isAligned)
  const spans: Span[] = []
  for (const [index, cell] of row.cells.entries()) {
    const rule = rules[index]
    const value = values[index] ?? ''
    if (rule !== null && rule !== undefined)
      spans.push({
        start: base + cell.start,
        end: base + cell.end,
        kind: isEmail(value) ? 'email' : rule.kind,
        value,
        certainty: 'named',
      })
    else if (/^[ \t\r\n]{0,16}[{[]/.test(value)) spans.push(...inCell(text, base, cell))
  }
  return spans
}

function isEmail(value: string): boolean {
  return value.includes('@') && /^[^ \t\r\n@]{1,128}@[^ \t\r\n@]{1,255}$/.test(value)
}

/** The delimiter given by `sep=`, else the one most frequent in the head. */
function delimiterOf(text: string, at: number, isLast: boolean): string | null {
  for (let from = at; from < text.length; ) {
    const newline = breakFrom(text, from, isLast)
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

/** Reads a document in a cell, where quotes are doubled. */
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
