import { redactedText } from '../json/redact-json.ts'
import { type NameRule, ruleOfName } from '../names/secret-names.ts'
import {
  hiddenValue,
  hidesValue,
  isSecretName,
  NAMED,
  NAMING,
  type Redaction,
} from '../redaction/redact-line.ts'

export interface Row {
  readonly [column: string]: unknown
}

/** Redacts the cells of a database. */
export interface Cells {
  /** The value of a cell in the copy: unchanged if there is nothing to hide. */
  replaced(table: string, column: string, value: unknown, row: Row): unknown
  text(text: string): string
}

/** Number of cells whose results are cached, because cells repeat. */
const REMEMBERED_MAX = 20_000
const REMEMBERED_LENGTH_MAX = 512

export function createCells(redaction: Redaction): Cells {
  const remembered = new Map<string, string>()
  const redacted = (text: string): string => {
    const before = remembered.get(text)
    if (before !== undefined) return before
    const out = redactedText(text, redaction)
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    if (text.length <= REMEMBERED_LENGTH_MAX) remembered.set(text, out)
    return out
  }
  return {
    text: redacted,
    replaced(table, column, value, row) {
      if (value === null || value === undefined) return value
      const isNumber = typeof value === 'number' || typeof value === 'bigint'
      const text = value instanceof Uint8Array ? textOf(value) : String(value)
      // Bytes that are no text cannot be searched.
      if (text === null) return Buffer.alloc(0)
      if (hidesValue(ruleOfCell(table, column, row), text, isNumber) || text.includes('\u0000'))
        return hiddenValue(text, redaction)
      if (isNumber)
        return redaction.collected === null && redaction.known.find(text).length > 0
          ? hiddenValue(text, redaction)
          : value
      const out = redacted(text)
      if (out === text) return value
      return value instanceof Uint8Array ? Buffer.from(out) : out
    },
  }
}

/** The text of UTF-8 bytes; null for other bytes. */
function textOf(bytes: Uint8Array): string | null {
  const text = Buffer.from(bytes).toString('utf8')
  return text.includes('\u0000') || !Buffer.from(text).equals(bytes) ? null : text
}

/** Rules for columns of our own store whose names do not reveal their contents. */
const OWN: Readonly<Record<string, NameRule | null>> = {
  'accounts.key': null,
  'accounts.title': 'person',
  'api_names.name': 'secret',
}
/** Secret keys of our own `meta` table: the key for client fingerprints, and accounts with all their names. */
const META_SECRET = /key$|^account /

/** The rule of a cell, given by its column, by a neighbouring cell with a name, or by our knowledge of our own tables. */
function ruleOfCell(table: string, column: string, row: Row): NameRule | null {
  const own = OWN[`${table.toLowerCase()}.${column.toLowerCase()}`]
  if (own !== undefined) return own
  if (NAMED.test(column)) {
    const naming = Object.entries(row).find(
      ([name, value]) => NAMING.test(name) && typeof value === 'string',
    )
    const name = String(naming?.[1] ?? '')
    if ((table === 'meta' && META_SECRET.test(name)) || isSecretName(name)) return 'secret'
  }
  return ruleOfName(column)
}
