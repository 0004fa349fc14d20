import { isHarmless } from '../names/harmless.ts'
import { ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { hidesField, namedSpan } from './fields.ts'
import { linesOf } from './scanner.ts'

/** Statements of a dump of a database. Goes on where the piece before ended. */
export interface SqlStatements {
  push(lines: string, base: number): Span[]
}

const CREATE =
  /\bCREATE[ \t]+(?:TEMP(?:ORARY)?[ \t]+)?TABLE[ \t]+(?:IF[ \t]+NOT[ \t]+EXISTS[ \t]+)?([\w."`[\]]{1,128})[ \t]*\(/gi
const INSERT =
  /\b(?:INSERT(?:[ \t]+OR[ \t]+\w+)?(?:[ \t]+IGNORE)?|REPLACE)[ \t]+INTO[ \t]+([\w."`[\]]{1,128})[ \t]*(?:\(([^()]{1,8192})\)[ \t\r\n]*)?VALUES[ \t\r\n]*/gi
const SET = /(?<![\w"`])["`[]?([A-Za-z_]\w{0,63})["`\]]?[ \t]*=[ \t]*(N?'(?:[^'\n]|''){1,65536}')/g
const COPY = /^COPY[ \t]+[\w."]{1,128}[ \t]*\(([^()]{1,8192})\)[ \t]+FROM[ \t]+stdin/gim
const TABLES_MAX = 1000
const COLUMNS_LENGTH_MAX = 64 * 1024

export function createSqlStatements(): SqlStatements {
  const columnsByTable = new Map<string, readonly string[]>()
  let copied: readonly string[] | null = null
  return {
    push(lines, base) {
      const spans: Span[] = []
      if (copied !== null) copied = copyRows(lines, 0, base, copied, spans)
      if (/\bCREATE\b/i.test(lines)) {
        for (const match of lines.matchAll(CREATE)) {
          if (columnsByTable.size < TABLES_MAX)
            columnsByTable.set(
              tableName(match[1] ?? ''),
              columnsOf(lines, match.index + match[0].length),
            )
        }
      }
      for (const match of lines.matchAll(INSERT)) {
        const named = match[2]?.split(',').map((column) => column.replace(/["`[\] \t\r\n]/g, ''))
        const columns = named ?? columnsByTable.get(tableName(match[1] ?? ''))
        if (columns?.some((column) => ruleOfName(column) !== null) === true)
          valuesIn(lines, match.index + match[0].length, base, columns, spans)
      }
      if (/\b(?:SET|WHERE)\b/i.test(lines)) {
        for (const match of lines.matchAll(SET)) {
          const rule = ruleOfName(match[1] ?? '')
          const literal = match[2] ?? ''
          if (rule !== null && rule.hides !== 'likely')
            pushLiteral(
              spans,
              base + match.index + match[0].length - literal.length,
              literal,
              rule.kind,
            )
        }
      }
      for (const match of lines.matchAll(COPY)) {
        const columns = (match[1] ?? '')
          .split(',')
          .map((column) => column.replace(/[" \t\r\n]/g, ''))
        const begin = lines.indexOf('\n', match.index + match[0].length)
        if (begin >= 0) copied = copyRows(lines, begin + 1, base, columns, spans)
      }
      return spans
    },
  }
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

function columnsOf(lines: string, at: number): readonly string[] {
  const columns: string[] = []
  let depth = 1
  let from = at
  for (
    let index = at;
    index < Math.min(lines.length, at + COLUMNS_LENGTH_MAX) && depth > 0;
    index += 1
  ) {
    const sign = lines[index]
    if (sign === '(') depth += 1
    else if (sign === ')') depth -= 1
    if ((sign === ',' && depth === 1) || depth === 0) {
      columns.push(/["`[]?([\w-]+)/.exec(lines.slice(from, index))?.[1] ?? '')
      from = index + 1
    }
  }
  return columns
}

/** Rows in brackets, one after the other. A row that does not fit its columns is hidden whole. */
function valuesIn(
  lines: string,
  at: number,
  base: number,
  columns: readonly string[],
  spans: Span[],
): void {
  for (let index = at; lines[index] === '('; ) {
    const { literals, end } = literalsAt(lines, index)
    for (const [position, [from, to]] of literals.entries()) {
      const literal = lines.slice(from, to)
      const rule = ruleOfName(columns[position] ?? '')
      if (literals.length !== columns.length) pushLiteral(spans, base + from, literal, 'secret')
      else if (
        rule !== null &&
        hidesField(rule, literal.replace(/^'|'$/g, ''), literal.startsWith("'"))
      )
        pushLiteral(spans, base + from, literal, rule.kind)
    }
    index =
      end + (/^[ \t\r\n]*,[ \t\r\n]*/.exec(lines.slice(end, end + 64))?.[0].length ?? lines.length)
  }
}

function literalsAt(
  lines: string,
  at: number,
): { readonly literals: readonly (readonly [number, number])[]; readonly end: number } {
  const literals: (readonly [number, number])[] = []
  let from = at + 1
  let isQuoted = false
  for (let index = from; index < lines.length; index += 1) {
    const sign = lines[index]
    if (sign === "'") {
      if (isQuoted && lines[index + 1] === "'") index += 1
      else isQuoted = !isQuoted
    } else if (sign === '\\' && isQuoted) index += 1
    else if (!isQuoted && (sign === ',' || sign === ')')) {
      literals.push(trim(lines, from, index))
      from = index + 1
      if (sign === ')') return { literals, end: index + 1 }
    }
  }
  literals.push(trim(lines, from, lines.length))
  return { literals, end: lines.length }
}

function trim(lines: string, from: number, to: number): readonly [number, number] {
  let [start, end] = [from, to]
  while (start < end && /[ \t\r\n]/.test(lines[start] ?? '')) start += 1
  while (end > start && /[ \t\r\n]/.test(lines[end - 1] ?? '')) end -= 1
  return [start, end]
}

function pushLiteral(spans: Span[], start: number, literal: string, kind: Span['kind']): void {
  const inner = /^[NnEeXxBb]?'([ \t\r\n\S]*?)'?$/.exec(literal)
  const value = inner?.[1] ?? literal
  if (value === '' || isHarmless(value)) return
  spans.push(
    inner === null
      ? { ...namedSpan(kind, start, value), quote: "'" }
      : namedSpan(kind, start + literal.indexOf("'") + 1, value),
  )
}

function copyRows(
  lines: string,
  at: number,
  base: number,
  columns: readonly string[],
  spans: Span[],
): readonly string[] | null {
  for (const [line, from] of linesOf(lines.slice(at))) {
    if (line.startsWith('\\.')) return null
    let start = base + at + from
    for (const [index, cell] of line.split('\t').entries()) {
      const rule = ruleOfName(columns[index] ?? '')
      if (rule !== null && cell !== '\\N' && hidesField(rule, cell, true))
        spans.push(namedSpan(rule.kind, start, cell))
      start += cell.length + 1
    }
  }
  return columns
}
