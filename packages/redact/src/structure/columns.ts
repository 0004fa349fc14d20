import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { ALWAYS, type NameRule, ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { isNameOfSecret } from './assigned-name.ts'
import { hidesField } from './fields.ts'

/** Rules of the columns of a table, learned from its head; further heads add to them. */
export interface Columns {
  /**
   * Learns from a row that reads like a head. True for the first head, which holds no values. With `isData` a first row is not a head, and the table
   * has none.
   */
  takeHead(cells: readonly string[], isData?: boolean): boolean
  /** The rule by which each cell is hidden, null for cells that stay. */
  rulesFor(cells: readonly string[], isAligned: boolean): readonly (NameRule | null)[]
  /** Number of cells in the head; null before it was seen. */
  readonly width: number | null
}

const NAME = /^[A-Za-z_\x80-\xff][\w .\-/()#\x80-\xff]{0,40}$/

/** With `needsNames`, a first row that does not read like names is data as well. */
export function createColumns(
  { needsNames }: { readonly needsNames: boolean } = { needsNames: false },
): Columns {
  let width: number | null = null
  const rules: (NameRule | null)[] = []
  return {
    get width() {
      return width
    },
    takeHead(cells, isData = false) {
      const isFirst = width === null
      if (
        isFirst &&
        needsNames &&
        (isData || !cells.every((cell) => cell === '' || NAME.test(cell)))
      ) {
        width = 0
        return false
      }
      const isHead =
        cells.every((cell) => cell === '' || NAME.test(cell)) &&
        cells.some((cell) => ruleOfName(cell) !== null && NAME.test(cell))
      const widens = width !== null && cells.length > width && width === 1
      if (!isFirst && !isHead && !widens) return false
      width = isFirst || widens ? cells.length : Math.max(width ?? 0, cells.length)
      // A row of values can look like a head, so columns hidden by an earlier head stay hidden.
      for (const [index, cell] of cells.entries())
        rules[index] = stronger(rules[index] ?? null, ruleOfName(cell))
      return isFirst || widens
    },
    rulesFor(cells, isAligned) {
      const hidesSome = rules.some((rule) => rule !== null && rule.hides !== 'likely')
      const named =
        cells.length <= 4 &&
        cells.some((cell) => /^[\w.-]+$/.test(cell) && ruleOfName(cell)?.hides === 'always')
      return cells.map((cell, index) => {
        // The column of a cell is unknown, so every possible secret is hidden.
        if (!isAligned && width !== 0)
          return isPlainValue(cell) || (!hidesSome && !looksSecret(cell))
            ? null
            : (rules[index] ?? ALWAYS)
        const rule = rules[index] ?? null
        if (
          rule !== null &&
          hidesField(rule, cell, !/^-?\d+(?:\.\d+)?$/.test(cell) || rule.hides === 'always')
        )
          return rule
        return named &&
          !isNameOfSecret(cell) &&
          !/[ \t\r\n]/.test(cell) &&
          !isHarmless(cell) &&
          !isPlainValue(cell)
          ? ALWAYS
          : null
      })
    },
  }
}

function stronger(one: NameRule | null, other: NameRule | null): NameRule | null {
  if (one === null || other === null) return one ?? other
  return one.hides === 'always' ? one : other
}

/** Tables drawn with bars, of Markdown and of database clients. Goes on where the piece before ended. */
interface PipeTables {
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
