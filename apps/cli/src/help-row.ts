const WIDTH = 100
const INDENT = 34

/** Characters two columns wide in a terminal: Han, and the punctuation that goes with them. */
const WIDE = '\\u2e80-\\u9fff\\uf900-\\ufaff\\uff00-\\uff60'
const OPENING = '（《「'
const CLOSING = '，。；：、）》」？！'
/** Text that must stay on one line: a word or one wide character, with the punctuation before and after it. */
const piece = new RegExp(
  ` ?[${OPENING}]*(?:[^\\s${WIDE}]+|[^\\s${OPENING}${CLOSING}])[${CLOSING}]*| ?\\S`,
  'g',
)
const wideSign = new RegExp(`[${WIDE}]`, 'g')

/** Width of a text in a terminal, in columns. */
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
