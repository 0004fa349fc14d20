import { bytesOf, textOf } from '../byte-text.ts'
import { createDocumentReader } from '../document/document.ts'
import { createRendering } from '../document/render.ts'
import type { KnownValues } from '../known/known-values.ts'
import type { Pseudonyms } from '../pseudonyms.ts'
import type { Span } from '../span.ts'
import { hidesField } from '../structure/structure.ts'
import { type Row, ruleOfCell } from './table-rules.ts'

/** Redacts the cells of a database. */
export interface Cells {
  /** The value of a cell in the copy: the same one where nothing must be hidden. */
  replaced(table: string, column: string, value: unknown, row: Row): unknown
  /** Everything in a cell that must not stay. */
  spansOf(table: string, column: string, value: unknown, row: Row): readonly Span[]
  text(text: string): string
}

/** Cells repeat, so the results of this many are remembered. */
const REMEMBERED_MAX = 20_000
const REMEMBERED_LENGTH_MAX = 512

export function createCells(known: KnownValues, pseudonyms: Pseudonyms): Cells {
  const remembered = new Map<string, string>()
  const spansIn = (text: string): readonly Span[] =>
    partsOf(text, known).flatMap((part) => (part.kind === 'hidden' ? part.all : []))
  const redacted = (text: string): string => {
    const before = remembered.get(text)
    if (before !== undefined) return before
    const out = createRendering(pseudonyms)(partsOf(text, known))
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    if (text.length <= REMEMBERED_LENGTH_MAX) remembered.set(text, out)
    return out
  }
  const hiddenBy = (table: string, column: string, plain: string, isText: boolean, row: Row) => {
    const rule = ruleOfCell(table, column, row)
    return rule !== null && hidesField(rule, plain, isText) ? rule : null
  }
  return {
    text: redacted,
    replaced(table, column, value, row) {
      if (value === null || value === undefined) return value
      const cell = cellOf(value)
      const rule = hiddenBy(table, column, cell.text ?? '?', cell.isText, row)
      if (rule !== null && value !== '')
        return pseudonyms.of(
          cell.text?.includes('@') === true ? 'email' : rule.kind,
          cell.text ?? cell.bytes,
        )
      // Bytes that are not text cannot be searched.
      if (cell.text === null)
        return value instanceof Uint8Array ? Buffer.alloc(0) : pseudonyms.of('secret', cell.bytes)
      if (!cell.isText)
        return known.find(cell.text).length > 0 ? pseudonyms.of('known', cell.text) : value
      const out = redacted(cell.text)
      if (out === cell.text) return value
      return value instanceof Uint8Array ? Buffer.from(out, 'latin1') : textOf(out)
    },
    spansOf(table, column, value, row) {
      if (value === null || value === undefined) return []
      const { text, isText } = cellOf(value)
      if (text === null) return []
      const rule = hiddenBy(table, column, text, isText, row)
      const whole: readonly Span[] =
        rule === null
          ? []
          : [{ start: 0, end: text.length, kind: rule.kind, value: text, certainty: 'named' }]
      return isText ? [...whole, ...spansIn(text)] : whole
    },
  }
}

function partsOf(text: string, known: KnownValues) {
  if (text.length < 4) return [{ kind: 'text', start: 0, text }] as const
  const kind = /^[ \t\r\n]{0,64}[{[]/.test(text) ? 'json' : 'text'
  const reader = createDocumentReader({ kind, isSettings: false, known })
  return [...reader.push(text), ...reader.end()]
}

/** A cell as byte text; null for bytes that are not text. */
function cellOf(value: unknown): {
  readonly text: string | null
  readonly bytes: string
  readonly isText: boolean
} {
  if (value instanceof Uint8Array) {
    const buffer = Buffer.from(value.buffer, value.byteOffset, value.length)
    const bytes = buffer.toString('latin1')
    return { text: buffer.includes(0) || !isUtf8(buffer) ? null : bytes, bytes, isText: true }
  }
  if (typeof value !== 'string') return { text: String(value), bytes: String(value), isText: false }
  const bytes = bytesOf(value)
  return { text: value.includes('\u0000') ? null : bytes, bytes, isText: true }
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes)
}
