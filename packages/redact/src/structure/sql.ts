import { isHarmless } from '../names/harmless.ts'
import { ALWAYS, type NameRule, ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { type Field, hidesField, namedSpan, trimmedField } from './fields.ts'
import { linesOf } from './scanner.ts'

/** Statements of a dump of a database. Goes on where the piece before ended. */
export interface SqlStatements {
  push(lines: string, base: number): Span[]
}

/** Rules of the columns of a table, in order. */
type Rules = readonly (NameRule | null)[]

const CREATE =
  /\bCREATE[ \t]+(?:TEMP(?:ORARY)?[ \t]+)?TABLE[ \t]+(?:IF[ \t]+NOT[ \t]+EXISTS[ \t]+)?([\w."`[\]]{1,128})[ \t]*\(/gi
const INSERT =
  /\b(?:INSERT(?:[ \t]+OR[ \t]+\w+)?(?:[ \t]+IGNORE)?|REPLACE)[ \t]+INTO[ \t]+([\w."`[\]]{1,128})[ \t]*(?:\(([^()]{1,8192})\)[ \t\r\n]*)?VALUES[ \t\r\n]*/gi
const SET = /(?<![\w"`])["`[]?([A-Za-z_]\w{0,63})["`\]]?[ \t]*=[ \t]*(N?'(?:[^'\n]|''){1,65536}')/g
const COPY = /^COPY[ \t]+[\w."]{1,128}[ \t]*\(([^()]{1,8192})\)[ \t]+FROM[ \t]+stdin/gim
/** The name of a column, in quotes or before its type. */
const COLUMN = /["`[]([^"`\]]+)|[^ \t\r\n"`[\],()]+/
const TABLES_MAX = 1000
const COLUMNS_LENGTH_MAX = 64 * 1024

export function createSqlStatements(): SqlStatements {
  const tables = new Map<string, Rules>()
  let copied: Rules | null = null
  return {
    push(lines, base) {
      const spans: Span[] = []
      if (copied !== null) copied = copyRows(lines, base, copied, spans)
      for (const { 0: whole, 1: name = '', index } of lines.matchAll(CREATE)) {
        const { elements } = elementsIn(lines, index + whole.length - 1, false)
        if (tables.size < TABLES_MAX)
          tables.set(
            tableName(name),
            elements.map(({ value }) => ruleOfColumn(value)),
          )
      }
      for (const { 0: whole, 1: name = '', 2: columns, index } of lines.matchAll(INSERT)) {
        const rules = columns?.split(',').map(ruleOfColumn) ?? tables.get(tableName(name))
        if (rules?.some((rule) => rule !== null) === true)
          spans.push(...hiddenInRows(lines, index + whole.length, base, rules))
      }
      if (/\b(?:SET|WHERE)\b/i.test(lines)) {
        for (const { 0: whole, 1: name = '', 2: literal = '', index } of lines.matchAll(SET)) {
          const rule = ruleOfName(name)
          if (rule !== null && rule.hides !== 'likely')
            spans.push(...literalSpan(base + index + whole.length - literal.length, literal, rule))
        }
      }
      for (const { 0: whole, 1: columns = '', index } of lines.matchAll(COPY)) {
        const begin = lines.indexOf('\n', index + whole.length) + 1
        if (begin > 0)
          copied = copyRows(
            lines.slice(begin),
            base + begin,
            columns.split(',').map(ruleOfColumn),
            spans,
          )
      }
      return spans
    },
  }
}

function ruleOfColumn(definition: string): NameRule | null {
  const [word = '', quoted] = COLUMN.exec(definition) ?? []
  return ruleOfName(quoted ?? word)
}

function tableName(name: string): string {
  return (
    name
      .replace(/["`[\]]/g, '')
      .split('.')
      .at(-1)
      ?.toLowerCase() ?? ''
  )
}

/** Elements between the bracket at `at` and the one that closes it, or to the end. A row holds texts in quotes; a definition of columns holds brackets, and in its comments quotes that open no text. */
function elementsIn(
  lines: string,
  at: number,
  isRow: boolean,
): { readonly elements: readonly Field[]; readonly end: number } {
  const elements: Field[] = []
  let from = at + 1
  let depth = 1
  let isQuoted = false
  const take = (to: number) => {
    elements.push(trimmedField(lines, from, to, /[ \t\r\n]/))
    from = to + 1
  }
  const limit = isRow ? lines.length : Math.min(lines.length, at + COLUMNS_LENGTH_MAX)
  for (let index = from; index < limit; index += 1) {
    const sign = lines[index]
    // A doubled quote closes a text and opens it again.
    if (sign === "'" && isRow) isQuoted = !isQuoted
    else if (isQuoted) index += sign === '\\' ? 1 : 0
    else if (sign === '(' && !isRow) depth += 1
    else if (sign === ')') depth -= 1
    else if (sign === ',' && depth === 1) take(index)
    if (depth === 0) {
      take(index)
      return { elements, end: index + 1 }
    }
  }
  take(limit)
  return { elements, end: limit }
}

/** Rows in brackets, one after the other. A row that does not fit its columns is hidden whole. */
function hiddenInRows(lines: string, at: number, base: number, rules: Rules): readonly Span[] {
  const spans: Span[] = []
  for (let index = at; lines[index] === '('; ) {
    const { elements, end } = elementsIn(lines, index, true)
    for (const [position, { start, value }] of elements.entries()) {
      const rule = elements.length === rules.length ? (rules[position] ?? null) : ALWAYS
      if (rule !== null && hidesField(rule, value.replace(/^'|'$/g, ''), value.startsWith("'")))
        spans.push(...literalSpan(base + start, value, rule))
    }
    index =
      end + (/^[ \t\r\n]*,[ \t\r\n]*/.exec(lines.slice(end, end + 64))?.[0].length ?? lines.length)
  }
  return spans
}

function literalSpan(start: number, literal: string, { kind }: NameRule): readonly Span[] {
  const inner = /^[NnEeXxBb]?'(.*?)'?$/s.exec(literal)?.[1]
  const value = inner ?? literal
  if (isHarmless(value)) return []
  return inner === undefined
    ? [{ ...namedSpan(kind, start, value), quote: "'" }]
    : [namedSpan(kind, start + literal.indexOf("'") + 1, value)]
}

/** Hides cells between tabs. Gives back the rules while rows go on, null behind the last one. */
function copyRows(lines: string, base: number, rules: Rules, spans: Span[]): Rules | null {
  for (const [line, at] of linesOf(lines)) {
    if (line.startsWith('\\.')) return null
    let start = base + at
    for (const [index, cell] of line.split('\t').entries()) {
      const rule = rules[index] ?? null
      if (rule !== null && cell !== '\\N' && hidesField(rule, cell, true))
        spans.push(namedSpan(rule.kind, start, cell))
      start += cell.length + 1
    }
  }
  return rules
}
