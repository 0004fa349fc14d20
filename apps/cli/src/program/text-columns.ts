import { printable } from '@svc/views/format'
import widthOf from 'fast-string-width'
import type { CliContext } from './cli-context.ts'

/** Width of a table in columns: that of the terminal, else COLUMNS (as in `ps`), else 80. */
export function columnsFor({ stdoutColumns, env }: CliContext): number {
  return stdoutColumns ?? (Number(env.COLUMNS) || 80)
}

/** Width of a text in a terminal, in columns. */
export function columnsOf(text: string): number {
  return widthOf(text)
}

/** Han characters and their punctuation; a line may break before and after them. */
const WIDE = '\\u2e80-\\u9fff\\uf900-\\ufaff\\uff00-\\uff60'
const OPENING = '（《「'
const CLOSING = '，。；：、）》」？！'
/** Text that must stay on one line: a word or one wide character, with the punctuation before and after it. */
const piece = new RegExp(
  ` ?[${OPENING}]*(?:[^\\s${WIDE}]+|[^\\s${OPENING}${CLOSING}])[${CLOSING}]*| ?\\S`,
  'g',
)

/** Wraps the text into lines of at most `columns`; a longer word gets its own line. */
export function wrapped(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const part of text.match(piece) ?? []) {
    if (line !== '' && columnsOf(line + part) > columns) {
      lines.push(line)
      line = part.trimStart()
    } else line += part
  }
  lines.push(line)
  return lines
}

/** Wraps the text to `columns` and places it beside `head`, with a hanging indent. */
export function hanging(head: string, text: string, columns: number): string {
  const indent = ' '.repeat(columnsOf(head))
  return wrapped(text, columns)
    .map((line, at) => `${((at === 0 ? head : indent) + line).trimEnd()}\n`)
    .join('')
}

/** Pads the text with blanks, on the left if `toRight`. */
export function padded(text: string, columns: number, toRight = false): string {
  const blanks = ' '.repeat(Math.max(0, columns - columnsOf(text)))
  return toRight ? blanks + text : text + blanks
}

const graphemes = new Intl.Segmenter()

/** Shortens the text to at most `columns`, with an ellipsis for the omitted part; keeps the last `tailColumns`. */
export function cut(text: string, columns: number, tailColumns = 0): string {
  if (columnsOf(text) <= columns) return text
  const signs = Array.from(graphemes.segment(text), ({ segment }) => segment)
  const tail = ends(signs.toReversed(), tailColumns).reverse().join('')
  return `${ends(signs, columns - 1 - columnsOf(tail)).join('')}…${tail}`
}

/** The text in exactly `columns`, cut in the middle because similar titles differ at their end. */
export function fitted(text: string, columns: number): string {
  return padded(cut(text, columns, Math.floor((columns - 1) / 2)), columns)
}

/** The leading characters that fit into `columns`. */
function ends(signs: readonly string[], columns: number): string[] {
  const kept: string[] = []
  let left = columns
  for (const sign of signs) {
    left -= columnsOf(sign)
    if (left < 0) break
    kept.push(sign)
  }
  return kept
}

/** Cells of one row; the last one is wrapped. */
export type Row = readonly [string, ...string[]]

/** Minimum width of the last cell in columns, even if the terminal is narrower. */
const LAST_COLUMNS_MIN = 20

/** Text of a table, one line or more per row. */
export function table(rows: readonly Row[], columns: number): string {
  const cells = rows.map((row) => row.map(printable))
  const widthAt = (at: number) =>
    Math.max(...cells.map((row) => (at < row.length - 1 ? columnsOf(row[at] ?? '') : 0)))
  return cells
    .map((row) => {
      const padding = row.slice(0, -1).map((cell, at) => `${padded(cell, widthAt(at))}  `)
      const head = `  ${padding.join('')}`
      return hanging(head, row.at(-1) ?? '', Math.max(LAST_COLUMNS_MIN, columns - columnsOf(head)))
    })
    .join('')
}
