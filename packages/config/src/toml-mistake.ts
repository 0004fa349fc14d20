/** Reason a TOML parser stopped, as far as the position shows it. Quotes nothing of the file, because it may hold secrets. */
export function tomlMistake(
  text: string,
  line: number | null,
  column: number | null,
  parserMessage: string,
): string {
  if (parserMessage.startsWith('Cannot redefine')) return 'the key is given twice'
  if (parserMessage.startsWith('Invalid escape'))
    return 'a backslash in double quotes begins an escape: use single quotes'
  const found = text.split('\n')[(line ?? 0) - 1]
  if (found === undefined || column === null) return UNKNOWN
  const before = found.slice(0, column - 1)
  const rest = found.slice(column - 1)
  return (
    MISTAKES.find(({ begins, goesOn }) => begins.test(before) && goesOn.test(rest))?.reason ??
    UNKNOWN
  )
}

const UNKNOWN = 'this is not TOML'

/** Patterns of the text before and after the position; the first match wins. */
const MISTAKES: readonly {
  readonly begins: RegExp
  readonly goesOn: RegExp
  readonly reason: string
}[] = [
  { begins: /^\s*$/, goesOn: /^\{/, reason: 'this looks like JSON, and TOML is expected' },
  { begins: /^\s*$/, goesOn: /^=/, reason: 'a key is missing before =' },
  { begins: /[=[,]\s*$/, goesOn: /^[“”‘’«»„]/, reason: 'quotes must be straight' },
  { begins: /=\s*$/, goesOn: /^\s*(?:#|$)/, reason: 'a value is missing after =' },
  { begins: /=\s*$/, goesOn: /^=/, reason: 'one = is enough' },
  { begins: /=\s*$/, goesOn: /^./, reason: 'a text needs quotes' },
  { begins: /=\s*[+-]?0\d*$/, goesOn: /^/, reason: 'a number may not begin with 0' },
  { begins: /^\s*[\w-]+\s*$/, goesOn: /^:/, reason: 'write = between key and value' },
  { begins: /^\s*-\s*$/, goesOn: /^\w/, reason: 'this looks like YAML, and TOML is expected' },
  { begins: /^\s*[\w-]+\s+$/, goesOn: /^/, reason: 'write = between key and value' },
  { begins: /^[^"']*(?:"[^"]*|'[^']*)$/, goesOn: /^\s*$/, reason: 'a quote is not closed' },
  { begins: /\[[^\]]*$/, goesOn: /^\s*$/, reason: 'a bracket is not closed' },
  { begins: /\[[^\]]*$/, goesOn: /^["']/, reason: 'a comma is missing' },
  { begins: /=\s*\S.*$/, goesOn: /^\S/, reason: 'only a comment may follow a value' },
]
