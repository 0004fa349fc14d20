import { ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { type Columns, createColumns } from './columns.ts'
import { type Cell, cellValue, plainRowAt, rowAt } from './csv-rows.ts'

/** Tables in a text, with commas, semicolons or tabs between their cells. Goes on where the piece before ended. */
export interface TextTables {
  push(lines: string, base: number): Span[]
}

const DELIMITERS = [',', ';', '\t'] as const
/** A longer line is not a head. */
const HEAD_LENGTH_MAX = 2048
/** A name of a column: one to three words. A sentence has more. */
const NAME = /^[A-Za-z_\x80-\xff][\w.#\x80-\xff-]{0,40}(?: [\w.#()\x80-\xff-]{1,24}){0,2}$/

interface Table {
  readonly columns: Columns
  readonly delimiter: string
  /** How many rows fitted the head. */
  rows: number
  /** A quote was opened in the row before, and goes on. */
  isOpen: boolean
}

export function createTextTables(): TextTables {
  let table: Table | null = null
  return {
    push(lines, base) {
      const spans: Span[] = []
      for (const { 0: line, index } of lines.matchAll(/[^\r\n]+|\r?\n\r?\n|\r\r/g)) {
        if (line.trim() === '') {
          table = null
          continue
        }
        const current: Table | null = table
        if (current !== null && (line.includes(current.delimiter) || current.isOpen))
          spans.push(...hiddenIn(line, base + index, current))
        else table = null
        if (table === null || table.rows === 0) table = tableOpenedBy(line) ?? table
      }
      return spans
    },
  }
}

/** A head: names alone, one of them that of a secret. */
function tableOpenedBy(line: string): Table | null {
  if (line.length > HEAD_LENGTH_MAX) return null
  const head = line.replace(/^\xef\xbb\xbf/, '')
  for (const delimiter of DELIMITERS) {
    if (!head.includes(delimiter)) continue
    const names = cellsOf(head, delimiter).cells.map((cell) => cellValue(head, cell).trim())
    if (
      !names.every((name) => NAME.test(name)) ||
      !names.some((name) => ruleOfName(name)?.hides === 'always')
    )
      continue
    const columns = createColumns()
    columns.takeHead(names)
    return { columns, delimiter, rows: 0, isOpen: false }
  }
  return null
}

function cellsOf(
  line: string,
  delimiter: string,
): { readonly cells: readonly Cell[]; readonly isSound: boolean } {
  const row = rowAt(line, 0, delimiter, true)
  return row?.isSound === true
    ? row
    : (plainRowAt(line, 0, delimiter, true) ?? { cells: [], isSound: false })
}

function hiddenIn(line: string, offset: number, table: Table): readonly Span[] {
  const { cells, isSound } = cellsOf(line, table.delimiter)
  const isAligned = cells.length === table.columns.width && (isSound || !line.includes('"'))
  if ((line.match(/"/g)?.length ?? 0) % 2 === 1) table.isOpen = !table.isOpen
  // A first row that does not fit makes the head none, unless a quote goes on.
  if (!isAligned && table.rows === 0 && !table.isOpen) return []
  table.rows += 1
  const values = cells.map((cell) => cellValue(line, cell))
  return table.columns.rulesFor(values, isAligned).flatMap((rule, index) => {
    const { start, end } = cells[index] ?? { start: 0, end: 0 }
    if (rule === null || end <= start) return []
    return [
      {
        start: offset + start,
        end: offset + end,
        kind: rule.kind,
        value: values[index] ?? '',
        certainty: 'named',
      } as const,
    ]
  })
}
