import widthOf from 'fast-string-width'

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

const graphemes = new Intl.Segmenter()

/** The text in exactly this many columns, one at least: filled up with blanks, or with an ellipsis for its middle, because titles that are alike differ at their end. */
export function fitted(text: string, columns: number): string {
  const missing = columns - columnsOf(text)
  if (missing >= 0) return text + ' '.repeat(missing)
  const signs = Array.from(graphemes.segment(text), ({ segment }) => segment)
  const tail = ends(signs.toReversed(), Math.floor((columns - 1) / 2)).reverse()
  const head = ends(signs, columns - 1 - columnsOf(tail.join('')))
  return fitted(`${head.join('')}…${tail.join('')}`, columns)
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
