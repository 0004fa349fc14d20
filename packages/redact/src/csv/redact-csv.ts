import { type DocumentRedactor, redactedText, redactedValue } from '../json/redact-json.ts'
import { ruleInRow } from '../names/secret-names.ts'
import type { Redaction } from '../redaction/redact-line.ts'

interface Cell {
  /** Text without quotes. */
  readonly text: string
  readonly isQuoted: boolean
}

interface Row {
  readonly cells: readonly Cell[]
  /** The line break after the row; empty at the end of the text. */
  readonly end: string
  readonly next: number
}

/** Length limit of a row. Beyond it a quote was probably never closed, so the text is redacted as plain text. */
const ROW_LENGTH_MAX = 256 * 1024

/** Redacts comma-separated values cell by cell; the first row names its columns. */
export function createCsvRedactor(redaction: Redaction): DocumentRedactor {
  let text = ''
  let delimiter = ''
  let names: readonly string[] | null = null
  return (piece, isLast) => {
    text += piece
    let out = ''
    while (text !== '') {
      const line = firstLineOf(text)
      if (line === null && !isLast) break
      const head = line ?? text
      if (names === null && /^\ufeff?(?:sep=|#)/.test(head)) {
        delimiter = /^\ufeff?sep=(.)/.exec(head)?.[1] ?? delimiter
        out += redactedText(head, redaction)
        text = text.slice(head.length)
        continue
      }
      if (delimiter === '') delimiter = delimiterOf(head)
      const row = firstRowOf(text, delimiter, isLast)
      if (row === null && text.length < ROW_LENGTH_MAX && !isLast) break
      if (row === null) out += redactedText(text, redaction)
      else {
        out += redactedRow(row.cells, names ?? [], delimiter, redaction) + row.end
        names ??= row.cells.map((cell) => cell.text.replace(/^\ufeff/, '').trim())
      }
      text = text.slice(row?.next ?? text.length)
    }
    return out
  }
}

function redactedRow(
  cells: readonly Cell[],
  names: readonly string[],
  delimiter: string,
  redaction: Redaction,
): string {
  const row = Object.fromEntries(cells.map(({ text }, index) => [names[index], text]))
  const written = cells.map(({ text, isQuoted }, index) => {
    const out = redactedValue(text, ruleInRow(names[index] ?? '', row), redaction)
    return isQuoted || out.includes(delimiter) || /["\r\n]/.test(out) !== /["\r\n]/.test(text)
      ? `"${out.replaceAll('"', '""')}"`
      : out
  })
  return written.join(delimiter)
}

/** The first line with its line break; null if it is not complete yet. */
function firstLineOf(text: string): string | null {
  return /^[^\r\n]*(?:\r\n|\n|\r(?=[\s\S]))/.exec(text)?.[0] ?? null
}

function delimiterOf(line: string): string {
  const count = (sign: string) => line.split(sign).length
  return [',', ';', '\t', '|'].reduce((most, sign) => (count(sign) > count(most) ? sign : most))
}

/** The first row; null if the row may continue after the text. A quote has a meaning only at the beginning of a cell. */
export function firstRowOf(text: string, delimiter: string, isLast: boolean): Row | null {
  const cells: Cell[] = []
  for (let from = 0; ; ) {
    const mark = text[from] === '\ufeff' ? 1 : 0
    const isQuoted = text[from + mark] === '"'
    const close = isQuoted ? closingQuote(text, from + mark + 1, delimiter) : null
    if (isQuoted && close === null && !isLast) return null
    const hasQuotes = close !== null
    let end = hasQuotes ? close + 1 : from
    while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r')
      end += 1
    if (end + 1 >= text.length && !isLast) return null
    cells.push({
      text: hasQuotes
        ? text.slice(from + mark + 1, close).replaceAll('""', '"')
        : text.slice(from, end),
      isQuoted: hasQuotes,
    })
    if (text[end] === delimiter) {
      from = end + 1
      continue
    }
    const lineBreak = text.startsWith('\r\n', end) ? '\r\n' : (text[end] ?? '')
    return { cells, end: lineBreak, next: end + lineBreak.length }
  }
}

/** Offset of the quote that ends a cell, followed by the delimiter, a line break or the end of the text. Null if there is none. */
function closingQuote(text: string, from: number, delimiter: string): number | null {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    if (text[at + 1] === '"') at += 1
    else if (text[at + 1] === undefined || `${delimiter}\r\n`.includes(text[at + 1] ?? ''))
      return at
  }
  return null
}
