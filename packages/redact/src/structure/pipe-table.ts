import type { Span } from '../span.ts'
import { isNameOfSecret } from './assigned-name.ts'
import { type Columns, createColumns } from './columns.ts'

/** Tables drawn with bars, of Markdown and of database clients. Goes on where the piece before ended. */
export interface PipeTables {
  push(lines: string, base: number): Span[]
}

/** Lines without bars that a table may have between its rows. */
const RULER = /^[ \t\r\n|+:=-]*$/

export function createPipeTables(): PipeTables {
  let columns: Columns | null = null
  return {
    push(lines, base) {
      const spans: Span[] = []
      if (columns === null && !lines.includes('|')) return spans
      for (let from = 0; from < lines.length; ) {
        const newline = lines.indexOf('\n', from)
        const to = newline < 0 ? lines.length : newline
        const line = lines.slice(from, to)
        if (line.includes('|')) {
          const cells = cellsOf(line)
          const values = cells.map(([start, end]) => line.slice(start, end))
          columns ??= createColumns({ needsNames: true })
          if (
            values.length > 1 &&
            !columns.takeHead(values, isNameAndValue(line, cells)) &&
            !RULER.test(line)
          ) {
            for (const [index, rule] of columns
              .rulesFor(values, values.length === columns.width)
              .entries()) {
              const [start, end] = cells[index] ?? [0, 0]
              if (rule !== null && end > start)
                spans.push({
                  start: base + from + start,
                  end: base + from + end,
                  kind: rule.kind,
                  value: line.slice(start, end),
                  certainty: 'named',
                })
            }
          }
        } else if (!RULER.test(line) || line.trim() === '') columns = null
        from = to + 1
      }
      return spans
    },
  }
}

function cellsOf(line: string): readonly (readonly [number, number])[] {
  const cells: (readonly [number, number])[] = []
  const first = /^[ \t\r\n]*\|/.exec(line)?.[0].length ?? 0
  const last = /\|[ \t\r\n]*$/.test(line) ? line.lastIndexOf('|') : line.length
  for (let at = first; at <= last; ) {
    const bar = line.indexOf('|', at)
    const to = bar < 0 || bar > last ? last : bar
    let [start, end] = [at, to]
    while (start < end && /[ \t\r\n`*]/.test(line[start] ?? '')) start += 1
    while (end > start && /[ \t\r\n`*]/.test(line[end - 1] ?? '')) end -= 1
    cells.push([start, end])
    at = to + 1
  }
  return cells
}

/** `| **password** | x |`, `| token | a1b2c3 |`: a first row that is no head, because one cell alone stands out or holds digits. */
function isNameAndValue(line: string, cells: readonly (readonly [number, number])[]): boolean {
  const texts = cells.map(([start, end]) => line.slice(start, end))
  const isName = texts.map(isNameOfSecret)
  const stands = cells.map(([start]) => /[*_`]/.test(line[start - 1] ?? ''))
  return (
    isName.filter((is) => is).length === 1 &&
    (stands.every((does, index) => does === isName[index]) ||
      texts.some((text, index) => isName[index] === false && /^(?=.*\d)[^ \t]{6,}$/.test(text)))
  )
}
