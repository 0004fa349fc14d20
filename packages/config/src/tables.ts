import { dirname } from 'node:path'
import { UPSTREAM_NAME } from '@svc/core/service'
import { type ConfigProblem, shownRaw } from './config-input.ts'
import { settings } from './config-schema.ts'
import { nearestWord } from './near-word.ts'
import { readValue, type Setting } from './setting.ts'
import { type SettingKind, text } from './setting-kinds.ts'
import type { TomlDocument } from './toml-document.ts'

/** Names of the tables that a settings file may contain: proxies and notification targets. */
export const tableNames = ['upstream', 'notify'] as const
export type TableName = (typeof tableNames)[number]

export interface GivenTable {
  readonly values: Readonly<Record<string, unknown>>
  /** Place of the table, as in `[[upstream]] 2 "berlin" of /etc/x/config.toml line 9`. */
  readonly place: string
  /** Folder that a relative path is resolved against. */
  readonly folder: string
}

/** Tables of this name in a document; empty if the key holds no tables. */
export function givenTables(
  name: TableName,
  path: string,
  { values, text }: Extract<TomlDocument, { readonly text: string }>,
): readonly GivenTable[] {
  const tables = Object.hasOwn(values, name) ? values[name] : []
  if (!Array.isArray(tables) || !tables.every(isTable)) return []
  const lines = headLines(name, text)
  return tables.map((table, index) => {
    const own = typeof table.name === 'string' ? ` ${JSON.stringify(shownName(table.name))}` : ''
    const line = lines[index] === undefined ? '' : ` line ${lines[index]}`
    return {
      values: table,
      place: `[[${name}]] ${index + 1}${own} of ${path}${line}`,
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
export function headLines(name: string, text: string): readonly number[] {
  const head = new RegExp(`^\\s*\\[\\[\\s*["']?${name}["']?\\s*\\]\\]`)
  return text.split('\n').flatMap((line, index) => (head.test(line) ? [index + 1] : []))
}

export interface TableForm {
  readonly table: TableName
  readonly max: number
  /** Allowed keys besides the name. */
  readonly keys: readonly string[]
  /** A secret that must not be in the table: its key, its name in messages (`what`), and the key that names its file (`file`). */
  readonly secret: { readonly key: string; readonly what: string; readonly file: string }
}

export type ReadKey = (
  setting: Pick<Setting, 'key' | 'kind' | 'fallback'>,
  isRequired?: boolean,
) => unknown

const tableName: SettingKind<string> = text(
  '1 to 32 of the characters a-z, 0-9 and -',
  UPSTREAM_NAME,
)

/** Reads every table with `read`, which receives the table's name. Skips tables with mistakes and lists every mistake. */
export function readTables<Read>(
  form: TableForm,
  tables: readonly GivenTable[],
  read: (name: string, valueAt: ReadKey, table: GivenTable) => Read,
): {
  readonly read: readonly { readonly table: GivenTable; readonly value: Read }[]
  readonly problems: readonly ConfigProblem[]
} {
  const problems: ConfigProblem[] = []
  const names = new Set<string>()
  if (tables.length > form.max) {
    const message = `${tables.length} [[${form.table}]] tables: expected at most ${form.max}`
    problems.push({ code: 'invalid_value', message })
  }
  const all = tables.slice(0, form.max).flatMap((table) => {
    const mistakes = Object.keys(table.values)
      .filter((key) => key !== 'name' && !form.keys.includes(key))
      .map((key) => unknownKey(key, form, table))
    const valueAt = readerOf(table, mistakes)
    const name = valueAt({ key: 'name', kind: tableName, fallback: '' }, true) as string
    const value = read(name, valueAt, table)
    problems.push(...mistakes)
    if (mistakes.length > 0) return []
    if (names.has(name)) {
      const message = `name from ${table.place}: another table before it has this name`
      problems.push({ code: 'conflict', message })
    }
    names.add(name)
    return [{ table, value }]
  })
  return { read: all, problems }
}

function readerOf({ values, place, folder }: GivenTable, mistakes: ConfigProblem[]): ReadKey {
  return (setting, isRequired = false) => {
    const { key, kind, fallback } = setting
    if (!Object.hasOwn(values, key)) {
      if (isRequired) {
        const message = `${key} is missing in ${place}: expected ${kind.allowed}`
        mistakes.push({ code: 'invalid_value', message })
      }
      return fallback
    }
    const read = readValue(setting, { raw: values[key], source: 'file', place, folder })
    if ('value' in read) return read.value
    mistakes.push(read)
    return fallback
  }
}

function unknownKey(
  key: string,
  { table, keys, secret }: TableForm,
  { place }: GivenTable,
): ConfigProblem {
  if (key === secret.key) {
    const message = `${key} from ${place}: ${secret.what} may not stand in a file of settings; put it into a file named by ${secret.file}`
    return { code: 'secret_not_allowed', message }
  }
  const near = nearestWord(key, ['name', ...keys])
  const expected = settings.some((setting) => setting.key === key)
    ? `it before the first [[${table}]]${table === 'upstream' ? ', where it is for all of them' : ''}`
    : (near ?? `one of name, ${keys.join(', ')}`)
  return {
    code: 'unknown_key',
    message: `unknown key ${shownRaw(key)} in ${place}: expected ${expected}`,
  }
}
