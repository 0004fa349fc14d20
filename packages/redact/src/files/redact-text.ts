import { promises as fs } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { createCsvRedactor } from '../csv/redact-csv.ts'
import {
  createJsonRedactor,
  type DocumentRedactor,
  isJson,
  redactedText,
} from '../json/redact-json.ts'
import { createLineRedactor, type Redaction } from '../redaction/redact-line.ts'
import { piecesOf, type Reading, refuseBinary, type TextKind } from './input.ts'

export function createDocumentRedactor(kind: TextKind, redaction: Redaction): DocumentRedactor {
  if (kind === 'csv') return createCsvRedactor(redaction)
  return kind === 'json' ? createJsonRedactor(redaction) : createTextRedactor(redaction)
}

/** Length limit of a line; a longer one is redacted in parts. */
const LINE_LENGTH_MAX = 128 * 1024

/** Redacts a text line by line; a JSON line, as in logs, is redacted as JSON. */
function createTextRedactor(redaction: Redaction): DocumentRedactor {
  const lines = createLineRedactor(redaction)
  const redacted = (part: string) => (isJson(part) ? redactedText(part, redaction) : lines(part))
  let text = ''
  return (piece, isLast) => {
    const whole = (text + piece).split('\n')
    const rest = partsOf(whole.pop() ?? '', redaction)
    text = isLast ? '' : (rest.pop() ?? '')
    const out = whole.map((line) => `${partsOf(line, redaction).map(redacted).join('')}\n`)
    return out.join('') + rest.map(redacted).join('')
  }
}

function partsOf(line: string, redaction: Redaction): string[] {
  const parts: string[] = []
  let rest = line
  while (rest.length > 2 * LINE_LENGTH_MAX) {
    const cut = cutIn(rest.slice(0, 2 * LINE_LENGTH_MAX), redaction)
    parts.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return [...parts, rest]
}

/** Offset at which to cut a long line: after a separator, and never inside a known value. */
function cutIn(part: string, { known }: Redaction): number {
  let cut = LINE_LENGTH_MAX
  while (cut > LINE_LENGTH_MAX / 2 && !/[\s"',;{}[\]]/.test(part[cut - 1] ?? '')) cut -= 1
  if (cut === LINE_LENGTH_MAX / 2) cut = LINE_LENGTH_MAX
  for (const { start, end } of known.find(part)) if (end > cut) cut = Math.min(cut, start)
  return Math.max(cut, 1)
}

/** Reads a text: writes its redacted copy, or only collects the values that it names as secrets. Throws RedactError. */
export async function redactTextFile(
  reading: Reading,
  kind: TextKind,
  redaction: Redaction,
  output: string | null,
): Promise<void> {
  const target = output === null ? null : await fs.open(output, 'wx', 0o600)
  const document = createDocumentRedactor(kind, redaction)
  const decoder = new StringDecoder('utf8')
  const take = async (text: string, isLast: boolean) => {
    const bytes = Buffer.from(document(text, isLast))
    for (let at = 0; target !== null && at < bytes.length; )
      at += (await target.write(bytes, at)).bytesWritten
  }
  try {
    for await (const piece of piecesOf(reading)) {
      refuseBinary(piece)
      await take(decoder.write(piece), false)
    }
    await take(decoder.end(), true)
  } finally {
    await target?.close()
  }
}
