import { isPlainValue } from '../names/harmless.ts'
import { ruleOfName } from '../names/secret-names.ts'
import type { Span } from '../span.ts'
import { createPipeTables } from './columns.ts'
import { hidesField, namedSpan } from './fields.ts'
import { createOutline } from './outline.ts'
import type { Scanner } from './scanner.ts'
import { createSqlStatements } from './sql.ts'
import { createTextTables } from './text-tables.ts'

/** A longer line is looked through in parts. */
const LINE_LENGTH_MAX = 64 * 1024
/** Lines whose neighbours may still decide about them. */
const LAG_LINES = 6
const LAG_LENGTH_MAX = 8 * 1024

/** For text that is laid out in lines: settings, documents, logs, tables, statements. */
export function createLayoutScanner(isSettings: boolean): Scanner {
  const outline = createOutline()
  const tables = createPipeTables()
  const textTables = createTextTables()
  const statements = createSqlStatements()
  let read = 0
  let settled = 0
  return {
    get settled() {
      return settled
    },
    scan(text, base, isLast) {
      const from = read - base
      const line = text.lastIndexOf('\n') + 1
      const to =
        isLast || (line <= from && text.length - from > LINE_LENGTH_MAX)
          ? text.length
          : Math.max(from, line)
      const lines = text.slice(from, to)
      const spans = [
        ...outline.push(lines, read),
        ...tables.push(lines, read),
        ...textTables.push(lines, read),
        ...statements.push(lines, read),
      ]
      if (isSettings) spans.push(...settingsIn(lines, read))
      read += lines.length
      settled = isLast ? read : Math.max(settled, lagStart(text, to) + base)
      return spans
    },
  }
}

function lagStart(text: string, to: number): number {
  let at = to
  for (let lines = 0; lines < LAG_LINES && at > 0 && to - at < LAG_LENGTH_MAX; lines += 1)
    at = text.lastIndexOf('\n', at - 2) + 1
  return to - at < LAG_LENGTH_MAX ? at : to
}

const SETTING =
  /^[ \t]*(?:-[ \t]+)?["']?([A-Za-z][\w.-]{0,95})["']?[ \t]*[:=][ \t]*(["']?)([^\r\n]{1,4096}?)\2[ \t]*(?:[ \t]#[^\r\n]*)?\r?$/gm

/** Names that are too common to count in running text count in a file of settings. */
function settingsIn(lines: string, base: number): readonly Span[] {
  return [...lines.matchAll(SETTING)].flatMap((match) => {
    const [whole, name = '', quote = '', value = ''] = match
    const rule = ruleOfName(name)
    if (
      rule?.hides !== 'field' ||
      isPlainValue(value) ||
      !hidesField(rule, value, true) ||
      /^[[{|>&*]/.test(value)
    )
      return []
    return [namedSpan(rule.kind, base + match.index + whole.lastIndexOf(value + quote), value)]
  })
}
