import { createCsvRedactor } from '../csv/redact-csv.ts'
import {
  createJsonRedactor,
  type DocumentRedactor,
  isJson,
  redactedText,
} from '../json/redact-json.ts'
import { createLineRedactor, type Redaction } from '../redaction/redact-line.ts'

/** Kinds of text that are read in different ways. */
export type TextKind = 'text' | 'json' | 'csv'

export function createDocumentRedactor(kind: TextKind, redaction: Redaction): DocumentRedactor {
  if (kind === 'csv') return createCsvRedactor(redaction)
  return kind === 'json' ? createJsonRedactor(redaction) : createTextRedactor(redaction)
}

/** A longer line is redacted in parts. */
const LINE_LENGTH_MAX = 128 * 1024

/** Redacts a text line by line; a line that is JSON, as logs have them, is redacted as JSON. */
function createTextRedactor(redaction: Redaction): DocumentRedactor {
  const lines = createLineRedactor(redaction)
  const redacted = (line: string) =>
    isJson(line) ? redactedText(line, redaction) : lines.redacted(line)
  const redactedWhole = (line: string) => partsOf(line, redaction).map(redacted).join('')
  let text = ''
  return {
    push(piece) {
      const whole = (text + piece).split('\n')
      const parts = [...partsOf(whole.pop() ?? '', redaction)]
      text = parts.pop() ?? ''
      const out = whole.map((line) => `${redactedWhole(line)}\n`).join('')
      return out + parts.map(redacted).join('')
    },
    end: () => redactedWhole(text),
  }
}

function partsOf(line: string, redaction: Redaction): readonly string[] {
  const parts: string[] = []
  let at = 0
  while (line.length - at > 2 * LINE_LENGTH_MAX) {
    const cut = cutIn(line, at, redaction)
    parts.push(line.slice(at, cut))
    at = cut
  }
  return [...parts, line.slice(at)]
}

/** A place to cut a long line: behind a sign, and not in a known value. */
function cutIn(text: string, at: number, { known }: Redaction): number {
  const part = text.slice(at, at + 2 * LINE_LENGTH_MAX)
  const hits = known.find(part)
  let cut = LINE_LENGTH_MAX
  while (cut > LINE_LENGTH_MAX / 2 && !/[\s"',;{}[\]]/.test(part[cut - 1] ?? '')) cut -= 1
  if (cut === LINE_LENGTH_MAX / 2) cut = LINE_LENGTH_MAX
  for (const { start } of hits.filter((hit) => hit.start < cut && hit.end > cut))
    cut = Math.min(cut, start)
  return at + Math.max(cut, 1)
}
