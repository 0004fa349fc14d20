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

/** Matches a cell. A quote has a meaning only at its beginning, and ends it only before the delimiter, a line break or the end of the text. */
function cellBefore(delimiter: string): RegExp {
  const ends = `\\u${delimiter.charCodeAt(0).toString(16).padStart(4, '0')}\\r\\n`
  return new RegExp(
    `\\ufeff?"((?:[^"]|""|"(?!["${ends}]|$))*)"(?=[${ends}]|$)|(?<unclosed>\\ufeff?")?[^${ends}]*`,
    'y',
  )
}

/** The first row; null if the row may continue after the text. */
export function firstRowOf(text: string, delimiter: string, isLast: boolean): Row | null {
  const cells: Cell[] = []
  const cell = cellBefore(delimiter)
  for (;;) {
    const match = cell.exec(text)
    const quoted = match?.[1]?.replaceAll('""', '"')
    const end = cell.lastIndex
    const isUnclosed = match?.groups?.unclosed !== undefined
    if (!isLast && (isUnclosed || end + 1 >= text.length)) return null
    cells.push({ text: quoted ?? match?.[0] ?? '', isQuoted: quoted !== undefined })
    if (text[end] === delimiter) cell.lastIndex = end + 1
    else {
      const lineBreak = text.startsWith('\r\n', end) ? '\r\n' : (text[end] ?? '')
      return { cells, end: lineBreak, next: end + lineBreak.length }
    }
  }
}
