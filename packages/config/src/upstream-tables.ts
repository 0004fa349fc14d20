import { dirname } from 'node:path'
import type { TomlDocument } from './toml-document.ts'

/** Name of the tables that list proxies. */
export const UPSTREAM_TABLE = 'upstream'

/** One `[[upstream]]` table as given in a file. */
export interface GivenUpstream {
  readonly values: Readonly<Record<string, unknown>>
  /** Place of the table, as in `[[upstream]] 2 "berlin" of /etc/x/config.toml line 9`. */
  readonly place: string
  /** Folder that a relative path is resolved against. */
  readonly folder: string
}

/** The `[[upstream]]` tables of a document; empty if the key is something else. */
export function givenUpstreams(
  path: string,
  { values, text }: Extract<TomlDocument, { readonly text: string }>,
): readonly GivenUpstream[] {
  const tables = Object.hasOwn(values, UPSTREAM_TABLE) ? values[UPSTREAM_TABLE] : []
  if (!Array.isArray(tables) || !tables.every(isTable)) return []
  const lines = headLines(text)
  return tables.map((table, index) => {
    const name = typeof table.name === 'string' ? ` ${JSON.stringify(shownName(table.name))}` : ''
    const line = lines[index] === undefined ? '' : ` line ${lines[index]}`
    return {
      values: table,
      place: `[[upstream]] ${index + 1}${name} of ${path}${line}`,
      folder: dirname(path),
    }
  })
}

const NAME_LENGTH_SHOWN = 32

function shownName(name: string): string {
  return name.length > NAME_LENGTH_SHOWN ? `${name.slice(0, NAME_LENGTH_SHOWN)}…` : name
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Lines at which the tables start, counted from 1. */
function headLines(text: string): readonly number[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      /^\s*\[\[\s*["']?upstream["']?\s*\]\]/.test(line) ? [index + 1] : [],
    )
}
