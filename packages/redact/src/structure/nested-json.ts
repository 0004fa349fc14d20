import type { Span } from '../span.ts'
import { placeIn, textOfReading } from '../spellings/reading.ts'
import { unescaped } from '../spellings/unescape.ts'
import { findInText } from './find-in-text.ts'
import { createJsonScanner } from './json.ts'
import type { Scanner } from './scanner.ts'
import { createTextTables } from './text-tables.ts'

/** Deepest nesting of documents inside strings; nobody writes deeper. */
const NESTING_MAX = 5
const LENGTH_MIN = 6
/** Most blanks before the bracket that opens a document. */
const BLANKS_MAX = 64

export interface JsonOptions {
  /** Number of strings this document is nested in. */
  readonly nesting?: number
  /** True for a number that is known to be a secret. */
  readonly isKnown?: (value: string) => boolean
}

/** Reads JSON, including JSON in its strings. */
export function jsonScanner({ nesting = 0, isKnown = () => false }: JsonOptions = {}): Scanner {
  return createJsonScanner({ isKnown, insideString: (raw) => spansInside(raw, nesting) })
}

/** Finds secrets in the decoded text of a string, in offsets of its written form. A string that holds a JSON document is read as JSON. */
function spansInside(raw: string, nesting: number): readonly Span[] {
  if (raw.length < LENGTH_MIN || nesting > NESTING_MAX) return []
  const reading = raw.includes('\\') ? unescaped(raw, 'backslash') : null
  const text = reading === null ? raw : textOfReading(reading)
  const isDocument = beginsDocument(text)
  if (reading === null && !isDocument) return []
  const spans = reading === null ? [] : findInText(text)
  if (isDocument) spans.push(...jsonScanner({ nesting: nesting + 1 }).scan(text, 0, true))
  else if (/[\r\n]/.test(text)) spans.push(...createTextTables().push(text, 0))
  if (reading === null) return spans
  return spans.map(({ until: _, ...span }) => {
    const [start, end] = placeIn(reading, span.start, span.end)
    return { ...span, start, end, ...(span.quote === undefined ? {} : { quote: '\\"' }) }
  })
}

/** True if the first character, after a few blanks at most, opens a list or an object. */
function beginsDocument(text: string): boolean {
  for (let at = 0; at <= BLANKS_MAX; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x7b || code === 0x5b) return true
    if (code !== 0x20 && code !== 0x09 && code !== 0x0d && code !== 0x0a) return false
  }
  return false
}
