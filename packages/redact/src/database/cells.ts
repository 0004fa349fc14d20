import { redactedText } from '../json/redact-json.ts'
import { type NameRule, ruleInRow } from '../names/secret-names.ts'
import { hiddenValue, hidesNumber, hidesValue, type Redaction } from '../redaction/redact-line.ts'
import { remembering } from '../remembered.ts'

export type Row = Readonly<Record<string, unknown>>

/** Length of a text that is worth remembering. */
const TEXT_LENGTH_MAX = 512

/** Redacts the cells of a database. */
export type Cells = ReturnType<typeof createCells>

export function createCells(redaction: Redaction) {
  const redacted = remembering(TEXT_LENGTH_MAX, (text) => redactedText(text, redaction))
  return {
    redacted,
    /** The value of a cell in the copy: unchanged if there is nothing to hide. */
    replaced(table: string, column: string, value: unknown, row: Row): unknown {
      if (value === null || value === undefined) return value
      const text = value instanceof Uint8Array ? textOf(value) : String(value)
      // Bytes that are no text cannot be searched.
      if (text === null) return Buffer.alloc(0)
      const rule = text.includes('\u0000') ? 'secret' : ruleOfCell(table, column, row)
      const isNumber = typeof value === 'number' || typeof value === 'bigint'
      if (isNumber ? hidesNumber(rule, text, redaction) : hidesValue(rule, text, false))
        return hiddenValue(text, redaction)
      const out = isNumber ? text : redacted(text)
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

/** The rule of a cell, given by its row or by our knowledge of our own tables. */
function ruleOfCell(table: string, column: string, row: Row): NameRule | null {
  const own = OWN[`${table.toLowerCase()}.${column.toLowerCase()}`]
  if (own !== undefined) return own
  if (table === 'meta' && column === 'value' && META_SECRET.test(String(row.name))) return 'secret'
  return ruleInRow(column, row)
}
