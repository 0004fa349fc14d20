import { isHarmless, isPlainValue } from '../names/harmless.ts'
import { looksSecret } from '../names/looks-secret.ts'
import { ALWAYS, isNameOfSecret, type NameRule, ruleOfName } from '../names/secret-names.ts'
import type { SecretKind, Span } from '../span.ts'

/** A name or value as its document means it, and where it stands without its quotes. */
export interface Field {
  readonly start: number
  readonly end: number
  readonly value: string
}

/** The field between two offsets, without the signs at its ends. */
export function trimmedField(
  text: string,
  from: number,
  to: number,
  before: RegExp,
  behind = before,
): Field {
  let [start, end] = [from, to]
  while (end > start && behind.test(text[end - 1] ?? '')) end -= 1
  while (start < end && before.test(text[start] ?? '')) start += 1
  return { start, end, value: text.slice(start, end) }
}

/** Hides a value that stands in the text as it is. */
export function namedSpan(kind: SecretKind, start: number, value: string): Span {
  return { start, end: start + value.length, kind, value, certainty: 'named' }
}

/** Hides a field. `quote` is what its substitute needs around it, where it has none. */
export function fieldSpan(rule: NameRule, { start, end, value }: Field, quote?: string): Span {
  const isEmail = /^[^ \t\r\n@]{1,128}@[^ \t\r\n@]{1,255}$/.test(value)
  const span = { ...namedSpan(isEmail ? 'email' : rule.kind, start, value), end }
  return quote === undefined ? span : { ...span, quote }
}

const LOOPBACK = /^(?:127\.|::1$|localhost$|0\.0\.0\.0$)/
/** Paths of our own interface and of the proxy's. */
const OWN_PATH = /^\/(?:api|v\d|healthz|readyz|metrics|assets|v0)?(?:\/|$)/

/** True when a value must not stay under a name that a parser has found. */
export function hidesField(rule: NameRule, value: string, isText: boolean): boolean {
  if (isHarmless(value)) return false
  switch (rule.hides) {
    case 'always':
      return true
    case 'text':
      return isText && !isPlainValue(value) && !/^[A-Za-z]{1,12}$/.test(value)
    case 'likely':
      return isText && looksSecret(value)
    case 'field':
      if (!isText && rule.kind !== 'user') return rule.kind === 'secret' && /^\d{6,}$/.test(value)
      if (rule.kind === 'ip') return !LOOPBACK.test(value)
      if (/^\.{1,2}\//.test(value) || (rule.isOneWord === true && value.includes(' '))) return false
      if (rule.kind === 'path') return !OWN_PATH.test(value)
      return !/^-?\d{1,9}$/.test(value)
    default:
      return rule.hides satisfies never
  }
}

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

/** Hides the cells of a row that may not stay in their columns. */
export function hiddenCells(
  columns: Columns,
  cells: readonly Field[],
  base: number,
  isAligned: boolean,
): readonly Span[] {
  const rules = columns.rulesFor(
    cells.map(({ value }) => value),
    isAligned,
  )
  return cells.flatMap(({ start, end, value }, index) => {
    const rule = rules[index] ?? null
    return rule === null || end <= start
      ? []
      : [{ ...namedSpan(rule.kind, base + start, value), end: base + end }]
  })
}

/** Cells up to `end`, which need not be a delimiter, without the signs before and behind their values. */
export function cellsBetween(
  text: string,
  from: number,
  end: number,
  delimiter: string,
  before: RegExp,
  behind = before,
): readonly Field[] {
  const cells: Field[] = []
  for (let at = from; at <= end; ) {
    const next = text.indexOf(delimiter, at)
    const to = next < 0 || next > end ? end : next
    cells.push(trimmedField(text, at, to, before, behind))
    at = to + 1
  }
  return cells
}
