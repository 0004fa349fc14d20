import { parse } from 'toml'
import type { ConfigProblem } from './config-error.ts'
import { tomlMistake } from './toml-mistake.ts'

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
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
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

/** Parses TOML. Messages drop the part of `what` that says who named the file: the path is enough. */
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
    // The parser's own text quotes the file, which may hold secrets.
    const reason = tomlMistake(text, line, column, error instanceof Error ? error.message : '')
    const place = `line ${line ?? 'unknown'}, column ${column ?? 'unknown'}`
    const message = `${name} is not valid TOML at ${place} (${reason}): ${path}`
    return { problem: { code: 'invalid_toml', message } }
  }
}

/** Position of a parser's error, which has different members for syntax and semantic errors. */
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

/** The line of the file that sets a key, as in ` line 3`; empty if it cannot be found. */
export function linePlace(text: string, key: string): string {
  const index = text.split('\n').findIndex((line) => /^[\s["']*([\w-]*)/.exec(line)?.[1] === key)
  return index < 0 ? '' : ` line ${index + 1}`
}
