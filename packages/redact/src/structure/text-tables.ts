import { ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { type Columns, createColumns } from './columns.ts'
import { type Cell, cellValue, plainRowAt, rowAt } from './csv-rows.ts'

/** Finds tables in a text, with commas, semicolons or tabs between their cells. Each piece continues the one before. */
export interface TextTables {
  push(lines: string, base: number): Span[]
}

const DELIMITERS = [',', ';', '\t'] as const
/** Longest line that may be a head. */
const HEAD_LENGTH_MAX = 2048
/** Name of a column: one to three words. A sentence has more. */
const NAME = /^[A-Za-z_\x80-\xff][\w.#\x80-\xff-]{0,40}(?: [\w.#()\x80-\xff-]{1,24}){0,2}$/

interface Table {
  readonly columns: Columns
  readonly delimiter: string
  /** Number of rows that fitted the head. */
  rows: number
  /** A quote that was opened in the row before is still open. */
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

/** The table whose head is this line: only names, one of them of a secret; else null. */
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
  // If the first row does not fit and no quote is open, the head was not one.
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
