const WIDTH = 100
const INDENT = 34

/** Signs of two columns in a terminal: Han, and the punctuation that goes with them. */
const WIDE = '\\u2e80-\\u9fff\\uf900-\\ufaff\\uff00-\\uff60'
const OPENING = '（《「'
const CLOSING = '，。；：、）》」？！'
/** What stays in one line: a word, or one wide sign, with the punctuation before and behind it. */
const piece = new RegExp(
  ` ?[${OPENING}]*(?:[^\\s${WIDE}]+|[^\\s${OPENING}${CLOSING}])[${CLOSING}]*| ?\\S`,
  'g',
)
const wideSign = new RegExp(`[${WIDE}]`, 'g')

/** Columns that a text takes in a terminal. */
export function columnsOf(text: string): number {
  return text.length + (text.match(wideSign)?.length ?? 0)
}

/** Two columns; the second is wrapped, and starts on a line of its own where the first is too long. */
export function helpRow(term: string, text: string): string {
  const lines = wrapped(text, WIDTH - INDENT)
  const head = `  ${term}`
  const gap = INDENT - columnsOf(head)
  const first = gap > 0 ? `${head}${' '.repeat(gap)}${lines.shift() ?? ''}\n` : `${head}\n`
  return first + lines.map((rest) => `${' '.repeat(INDENT)}${rest}\n`).join('')
}

function wrapped(text: string, columns: number): string[] {
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
