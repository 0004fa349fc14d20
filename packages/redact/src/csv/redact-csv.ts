import { type DocumentRedactor, redactedText } from '../json/redact-json.ts'
import { type NameRule, ruleOfName } from '../names/secret-names.ts'
import {
  hiddenValue,
  hidesValue,
  isSecretName,
  NAMED,
  NAMING,
  type Redaction,
} from '../redaction/redact-line.ts'

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
  const take = (isLast: boolean): string => {
    let out = ''
    let at = 0
    for (;;) {
      const line = lineAt(text, at)
      if (line === null && !isLast) break
      if (at >= text.length) break
      if (names === null && /^\ufeff?(?:sep=|#)/.test(text.slice(at, at + 5))) {
        const next = line ?? text.length
        delimiter = /^\ufeff?sep=(.)/.exec(text.slice(at, next))?.[1] ?? delimiter
        out += redactedText(text.slice(at, next), redaction)
        at = next
        continue
      }
      if (delimiter === '') delimiter = delimiterOf(text.slice(at, line ?? text.length))
      const row = rowAt(text, at, delimiter, isLast)
      if (row === null && text.length - at < ROW_LENGTH_MAX && !isLast) break
      if (row === null) {
        out += redactedText(text.slice(at), redaction)
        at = text.length
        break
      }
      out +=
        row.cells
          .map((cell, index) =>
            cellOut(
              cell,
              names === null ? null : ruleOf(names, row.cells, index),
              delimiter,
              redaction,
            ),
          )
          .join(delimiter) + row.end
      names ??= row.cells.map((cell) => cell.text.replace(/^\ufeff/, '').trim())
      at = row.next
    }
    text = text.slice(at)
    return out
  }
  return {
    push(piece) {
      text += piece
      return take(false)
    },
    end: () => take(true),
  }
}

/** The rule of a cell, given by its column or by a neighbouring cell with a name. */
function ruleOf(names: readonly string[], cells: readonly Cell[], index: number): NameRule | null {
  const name = names[index] ?? ''
  if (NAMED.test(name)) {
    const naming = cells.find((_, at) => NAMING.test(names[at] ?? ''))
    if (naming !== undefined && isSecretName(naming.text)) return 'secret'
  }
  return ruleOfName(name)
}

function cellOut(
  { text, isQuoted }: Cell,
  rule: NameRule | null,
  delimiter: string,
  redaction: Redaction,
): string {
  const isNumber = /^\s*-?\d+(?:\.\d+)?\s*$/.test(text)
  const out = hidesValue(rule, text, isNumber)
    ? hiddenValue(text, redaction)
    : redactedText(text, redaction)
  return isQuoted || out.includes(delimiter) || /["\r\n]/.test(out) !== /["\r\n]/.test(text)
    ? `"${out.replaceAll('"', '""')}"`
    : out
}

/** Offset after the line break of the line at `at`; null if the line is not complete yet. */
function lineAt(text: string, at: number): number | null {
  const found = /\r\n|\n|\r(?=[\s\S])/g
  found.lastIndex = at
  return found.exec(text) === null ? null : found.lastIndex
}

function delimiterOf(line: string): string {
  const count = (sign: string) => line.split(sign).length
  return [',', ';', '\t', '|'].reduce((most, sign) => (count(sign) > count(most) ? sign : most))
}

/** The row that begins at an offset; null if the row may continue after the text. A quote has a meaning only at the beginning of a cell. */
export function rowAt(text: string, at: number, delimiter: string, isLast: boolean): Row | null {
  const cells: Cell[] = []
  for (let from = at; ; ) {
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
