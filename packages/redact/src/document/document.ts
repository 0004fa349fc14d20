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
  const lineOut = (line: string) =>
    isJson(line) ? redactedText(line, redaction) : lines.redacted(line)
  let text = ''
  return {
    push(piece) {
      text += piece
      const out: string[] = []
      let at = 0
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
        out.push(...partsOf(text.slice(at, end)).map(lineOut), '\n')
        at = end + 1
      }
      const cut = text.length - at > 2 * LINE_LENGTH_MAX ? cutIn(text, at, redaction) : at
      if (cut > at) out.push(...partsOf(text.slice(at, cut)).map(lineOut))
      text = text.slice(cut)
      return out.join('')
    },
    end: () => partsOf(text).map(lineOut).join(''),
  }

  function partsOf(line: string): readonly string[] {
    const parts: string[] = []
    let at = 0
    while (line.length - at > 2 * LINE_LENGTH_MAX) {
      const cut = cutIn(line, at, redaction)
      parts.push(line.slice(at, cut))
      at = cut
    }
    return [...parts, line.slice(at)]
  }
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
