import { errorCodeOf } from '@svc/core/service'
import { parse } from 'toml'
import type { ConfigProblem } from './config-input.ts'

/** A parsed settings file, or the reason it could not be read. */
export type TomlDocument =
  | { readonly values: Readonly<Record<string, unknown>>; readonly text: string }
  | { readonly problem: ConfigProblem }

/** Reads and parses a file; null if it does not exist. `what` names the file in messages, as in `config file`. */
export function tomlDocumentAt(
  path: string,
  what: string,
  readTextFile: (path: string) => string,
): TomlDocument | null {
  let text: string
  try {
    text = readTextFile(path)
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    return {
      problem: {
        code: 'unreadable_file',
        message: `${what} cannot be read (${code}): ${path}`,
      },
    }
  }
  return parsedToml(path, what, text)
}

/** Parses TOML. Messages omit the source of the file's name (`from …` in `what`), because the path is enough. */
function parsedToml(path: string, what: string, text: string): TomlDocument {
  const [name] = what.split(' from ')
  if (text.includes('\u0000')) {
    const message = `${name} is UTF-16; save it as UTF-8: ${path}`
    return { problem: { code: 'invalid_toml', message } }
  }
  try {
    return { values: parse(text) as Record<string, unknown>, text }
  } catch (error) {
    const { line, column } = positionOf(error)
    // The parser's own message quotes the file, which may contain secrets.
    const reason = tomlMistake(text, line, column, error instanceof Error ? error.message : '')
    const place = `line ${line ?? 'unknown'}, column ${column ?? 'unknown'}`
    const message = `${name} is not valid TOML at ${place} (${reason}): ${path}`
    return { problem: { code: 'invalid_toml', message } }
  }
}

/** Position of a parser's error. Syntax errors and semantic errors store it in different properties. */
function positionOf(error: unknown): {
  readonly line: number | null
  readonly column: number | null
} {
  const found = error as {
    line?: number
    column?: number
    location?: { start?: { line?: number; column?: number } }
  } | null
  return {
    line: found?.line ?? found?.location?.start?.line ?? null,
    column: found?.column ?? found?.location?.start?.column ?? null,
  }
}

/** Place of the line that sets a key, as in ` line 3`; empty if it cannot be found. */
export function linePlace(text: string, key: string): string {
  const index = text.split('\n').findIndex((line) => /^[\s["']*([\w-]*)/.exec(line)?.[1] === key)
  return index < 0 ? '' : ` line ${index + 1}`
}

/** Reason a TOML parser stopped, as far as the position reveals it. Quotes nothing of the file, because it may contain secrets. */
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
