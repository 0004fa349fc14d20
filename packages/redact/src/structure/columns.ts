import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { ALWAYS, type NameRule, ruleOfName } from '../names/secret-names.ts'
import { hidesField } from './field.ts'

/** What the head of a table says about its columns; further heads add to it. */
export interface Columns {
  /** Learns from a row that reads like a head. True for the first, which holds no values. */
  takeHead(cells: readonly string[]): boolean
  /** The rule by which each cell is hidden, null for those that stay. */
  rulesFor(cells: readonly string[], isAligned: boolean): readonly (NameRule | null)[]
  /** How many cells the head has; null before it was seen. */
  readonly width: number | null
}

const NAME = /^[A-Za-z_\x80-\xff][\w .\-/()#\x80-\xff]{0,40}$/

/** With `needsNames` a first row that does not read like names is data, and the table has no head. */
export function createColumns(
  { needsNames }: { readonly needsNames: boolean } = { needsNames: false },
): Columns {
  let width: number | null = null
  const rules: (NameRule | null)[] = []
  return {
    get width() {
      return width
    },
    takeHead(cells) {
      const isFirst = width === null
      if (isFirst && needsNames && !cells.every((cell) => cell === '' || NAME.test(cell))) {
        width = 0
        return true
      }
      const isHead =
        cells.every((cell) => cell === '' || NAME.test(cell)) &&
        cells.some((cell) => ruleOfName(cell) !== null && NAME.test(cell))
      const widens = width !== null && cells.length > width && width === 1
      if (!isFirst && !isHead && !widens) return false
      width = isFirst || widens ? cells.length : Math.max(width ?? 0, cells.length)
      // A row of values can look like a head: what an earlier head hides stays hidden.
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
        // Which column a cell belongs to is not known: all that may be one is hidden.
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
        const isName = ruleOfName(cell)?.hides === 'always'
        return named &&
          !isName &&
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
