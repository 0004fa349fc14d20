import { isNameOfSecret, ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { plainRowAt, rowAt } from './csv.ts'
import { type Columns, cellsBetween, createColumns, type Field, hiddenCells } from './fields.ts'
import type { LineReader } from './scanner.ts'

/** Lines without bars that a table may have between its rows. */
const RULER = /^[ \t|+:=-]*$/
/** Signs around the value of a cell, which Markdown may emphasise. */
const AROUND = /[ \t`*]/

/** Reads tables drawn with bars, of Markdown and of database clients. */
export function createPipeTables(): LineReader {
  let columns: Columns | null = null
  return {
    takeLine(line, at) {
      if (!line.includes('|')) {
        if (!RULER.test(line) || line.trim() === '') columns = null
        return []
      }
      const first = /^[ \t]*\|/.exec(line)?.[0].length ?? 0
      const last = /\|[ \t]*$/.test(line) ? line.lastIndexOf('|') : line.length
      const cells = cellsBetween(line, first, last, '|', AROUND)
      const values = cells.map(({ value }) => value)
      columns ??= createColumns({ needsNames: true })
      return values.length > 1 &&
        !columns.takeHead(values, isNameAndValue(line, cells)) &&
        !RULER.test(line)
        ? hiddenCells(columns, cells, at, values.length === columns.width)
        : []
    },
  }
}

/** `| **password** | x |`, `| token | a1b2c3 |`: a first row that is no head, because one cell alone stands out or holds digits. */
function isNameAndValue(line: string, cells: readonly Field[]): boolean {
  const isName = cells.map(({ value }) => isNameOfSecret(value))
  const stands = cells.map(({ start }) => /[*_`]/.test(line[start - 1] ?? ''))
  return (
    isName.filter((is) => is).length === 1 &&
    (stands.every((does, index) => does === isName[index]) ||
      cells.some(
        ({ value }, index) => isName[index] === false && /^(?=.*\d)[^ \t]{6,}$/.test(value),
      ))
  )
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

/** Finds tables in a text, with commas, semicolons or tabs between their cells. */
export function createTextTables(): LineReader {
  let table: Table | null = null
  const rowIn = (line: string, at: number): readonly Span[] => {
    const current: Table | null = line.trim() === '' ? null : table
    const isRow = current !== null && (line.includes(current.delimiter) || current.isOpen)
    const spans = isRow ? hiddenIn(line, at, current) : []
    table = isRow ? current : null
    if (table === null || table.rows === 0) table = tableOpenedBy(line) ?? table
    return spans
  }
  return {
    takeLine(line, at) {
      if (!line.includes('\r')) return rowIn(line, at)
      let start = at
      // Older programs end a line with a carriage return alone.
      return line.split('\r').flatMap((row) => {
        const spans = rowIn(row, start)
        start += row.length + 1
        return spans
      })
    },
  }
}

/** The table whose head is this line: only names, one of them of a secret; else null. */
function tableOpenedBy(line: string): Table | null {
  if (line.length > HEAD_LENGTH_MAX) return null
  const head = line.replace(/^\xef\xbb\xbf/, '')
  for (const delimiter of DELIMITERS) {
    if (!head.includes(delimiter)) continue
    const names = rowOf(head, delimiter).cells.map(({ value }) => value.trim())
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

function rowOf(line: string, delimiter: string) {
  const row = rowAt(line, 0, delimiter, true)
  return row?.isSound === true
    ? row
    : (plainRowAt(line, 0, delimiter, true) ?? { cells: [], isSound: false })
}

function hiddenIn(line: string, at: number, table: Table): readonly Span[] {
  const { cells, isSound } = rowOf(line, table.delimiter)
  const isAligned = cells.length === table.columns.width && (isSound || !line.includes('"'))
  if ((line.match(/"/g)?.length ?? 0) % 2 === 1) table.isOpen = !table.isOpen
  // If the first row does not fit and no quote is open, the head was not one.
  if (!isAligned && table.rows === 0 && !table.isOpen) return []
  table.rows += 1
  return hiddenCells(table.columns, cells, at, isAligned)
}
