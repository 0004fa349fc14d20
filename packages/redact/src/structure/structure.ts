import { blocksIn } from '../patterns/blocks.ts'
import { dumpLinesIn } from '../patterns/dumps.ts'
import { emailsIn } from '../patterns/emails.ts'
import { groupedRunsIn } from '../patterns/grouped-runs.ts'
import { randomRunsIn } from '../patterns/runs.ts'
import { shapesIn } from '../patterns/shapes.ts'
import { symbolRunsIn } from '../patterns/symbol-runs.ts'
import { userInfoIn } from '../patterns/user-info.ts'
import type { Span } from '../span.ts'
import { placeIn, textOfReading } from '../spellings/reading.ts'
import { unescaped } from '../spellings/unescape.ts'
import { assignmentsIn } from './assignments.ts'
import { secretsInContext } from './contexts.ts'
import { createCsvScanner } from './csv.ts'
import { createJsonScanner } from './json.ts'
import { markupIn } from './markup.ts'
import { createOutline, createSettings } from './outline.ts'
import { hiddenInLines, type Scanner } from './scanner.ts'
import { createSqlStatements } from './sql.ts'
import { createPipeTables, createTextTables } from './tables.ts'

export { hidesField } from './fields.ts'
export type { Scanner, Token } from './scanner.ts'

/** Nothing that is looked for is shorter. */
const TEXT_LENGTH_MIN = 5

/** Everything that is found without knowing what kind of text it is. Stretches may overlap. */
export function findInText(text: string): Span[] {
  if (text.length < TEXT_LENGTH_MIN) return []
  return [
    ...blocksIn(text),
    ...dumpLinesIn(text),
    ...emailsIn(text),
    ...shapesIn(text),
    ...userInfoIn(text),
    ...assignmentsIn(text),
    ...secretsInContext(text),
    ...markupIn(text),
    ...randomRunsIn(text),
    ...groupedRunsIn(text),
    ...symbolRunsIn(text),
  ]
}

export interface ScannerOptions {
  /** In settings every name counts. */
  readonly isSettings?: boolean
  /** True for a number that is known to be a secret. */
  readonly isKnown?: (value: string) => boolean
}

/** Reads a document of this kind by its structure; `findInText` finds the rest. */
export function createScanner(
  kind: 'json' | 'csv' | 'text',
  { isSettings = false, isKnown = () => false }: ScannerOptions = {},
): Scanner {
  if (kind === 'json') return createNestedJsonScanner(0, isKnown)
  if (kind === 'csv') return createCsvScanner((cell) => hiddenInDocument(cell, 1))
  return createLayoutScanner(isSettings)
}

/** Deepest nesting of documents inside strings; nobody writes deeper. */
const NESTING_MAX = 5
const STRING_LENGTH_MIN = 6
/** The first character, after a few blanks at most, opens a list or an object. */
const DOCUMENT = /^[ \t\r\n]{0,64}[{[]/

/** Reads JSON, including JSON in its strings. `nesting`: number of strings the document is nested in. */
function createNestedJsonScanner(nesting: number, isKnown: (value: string) => boolean): Scanner {
  return createJsonScanner({ isKnown, insideString: (raw) => hiddenInString(raw, nesting) })
}

function hiddenInDocument(text: string, nesting: number): readonly Span[] {
  return createNestedJsonScanner(nesting, () => false).scan(text, 0, true)
}

/** Finds secrets in the decoded text of a string, in offsets of its written form. */
function hiddenInString(raw: string, nesting: number): readonly Span[] {
  if (raw.length < STRING_LENGTH_MIN || nesting > NESTING_MAX) return []
  const reading = raw.includes('\\') ? unescaped(raw, 'backslash') : null
  const text = reading === null ? raw : textOfReading(reading)
  const isDocument = DOCUMENT.test(text)
  if (reading === null) return isDocument ? hiddenInDocument(text, nesting + 1) : []
  const spans = findInText(text)
  if (isDocument) spans.push(...hiddenInDocument(text, nesting + 1))
  else if (/[\r\n]/.test(text)) spans.push(...hiddenInLines(text, 0, [createTextTables()]))
  return spans.map(({ until: _, ...span }) => {
    const [start, end] = placeIn(reading, span.start, span.end)
    return { ...span, start, end, ...(span.quote === undefined ? {} : { quote: '\\"' }) }
  })
}

/** A longer line is looked through in parts. */
const LINE_LENGTH_MAX = 64 * 1024
/** Lines whose neighbours may still decide about them. */
const LAG_LINES = 6
const LAG_LENGTH_MAX = 8 * 1024

/** Reads text that is laid out in lines: settings, documents, logs, tables, statements. */
function createLayoutScanner(isSettings: boolean): Scanner {
  const readers = [createOutline(), createPipeTables(), createTextTables()]
  if (isSettings) readers.push(createSettings())
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
      const spans = [...hiddenInLines(lines, read, readers), ...statements.push(lines, read)]
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
