import widthOf from 'fast-string-width'
import type { CliContext } from './cli-context.ts'

/** Columns for a table: those of the terminal, or, as for `ps`, what COLUMNS says, or 80. */
export function columnsFor({ stdoutColumns, env }: CliContext): number {
  return stdoutColumns ?? (Number(env.COLUMNS) || 80)
}

/** Width of a text in a terminal, in columns. */
export function columnsOf(text: string): number {
  return widthOf(text)
}

/** Han and its punctuation, which lines may break before and after. */
const WIDE = '\\u2e80-\\u9fff\\uf900-\\ufaff\\uff00-\\uff60'
const OPENING = '（《「'
const CLOSING = '，。；：、）》」？！'
/** Text that must stay on one line: a word or one wide character, with the punctuation before and after it. */
const piece = new RegExp(
  ` ?[${OPENING}]*(?:[^\\s${WIDE}]+|[^\\s${OPENING}${CLOSING}])[${CLOSING}]*| ?\\S`,
  'g',
)

/** The text in lines of at most this many columns; a longer word has a line of its own. */
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

/** The text wrapped to so many columns, its lines one below the other and beside `head`. */
export function hanging(head: string, text: string, columns: number): string {
  const indent = ' '.repeat(columnsOf(head))
  return wrapped(text, columns)
    .map((line, at) => `${((at === 0 ? head : indent) + line).trimEnd()}\n`)
    .join('')
}

/** The text filled up with blanks, which stand before it if it is `toRight`. */
export function padded(text: string, columns: number, toRight = false): string {
  const blanks = ' '.repeat(Math.max(0, columns - columnsOf(text)))
  return toRight ? blanks + text : text + blanks
}

const graphemes = new Intl.Segmenter()

/** The text in at most so many columns, with an ellipsis for what has no room; `tailColumns` of its end are kept. */
export function cut(text: string, columns: number, tailColumns = 0): string {
  if (columnsOf(text) <= columns) return text
  const signs = Array.from(graphemes.segment(text), ({ segment }) => segment)
  const tail = ends(signs.toReversed(), tailColumns).reverse().join('')
  return `${ends(signs, columns - 1 - columnsOf(tail)).join('')}…${tail}`
}

/** The text in exactly so many columns, cut in its middle, because titles that are alike differ at their end. */
export function fitted(text: string, columns: number): string {
  return padded(cut(text, columns, Math.floor((columns - 1) / 2)), columns)
}

/** The first signs that fit into this many columns. */
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
