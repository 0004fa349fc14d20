/** Characters two columns wide in a terminal: Han and its punctuation. */
const WIDE = '\\u2e80-\\u9fff\\uf900-\\ufaff\\uff00-\\uff60'
const wideSign = new RegExp(`[${WIDE}]`, 'g')

/** Width of a text in a terminal, in columns. */
export function columnsOf(text: string): number {
  return text.length + (text.match(wideSign)?.length ?? 0)
}

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

/** The text in exactly this many columns: filled up with blanks, or with an ellipsis for its middle, because titles that are alike differ at their end. */
export function fitted(text: string, columns: number): string {
  const missing = columns - columnsOf(text)
  if (missing >= 0) return text + ' '.repeat(missing)
  const tail = ends([...text].reverse(), Math.floor((columns - 1) / 2)).reverse()
  const head = ends([...text], columns - 1 - columnsOf(tail.join('')))
  return fitted(`${head.join('')}…${tail.join('')}`, columns)
}

/** The first signs that fit into this many columns. */
function ends(signs: readonly string[], columns: number): string[] {
  const kept: string[] = []
  for (const sign of signs) {
    if (columnsOf(kept.join('') + sign) > columns) break
    kept.push(sign)
  }
  return kept
}
