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
import { type Input, refuseBinary, type TextKind } from './input.ts'

export function createDocumentRedactor(kind: TextKind, redaction: Redaction): DocumentRedactor {
  if (kind === 'csv') return createCsvRedactor(redaction)
  return kind === 'json' ? createJsonRedactor(redaction) : createTextRedactor(redaction)
}

/** Length limit of a line; a longer one is redacted in parts. */
const LINE_LENGTH_MAX = 128 * 1024

/** Redacts a text line by line; a JSON line, as in logs, is redacted as JSON. */
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

/** Offset at which to cut a long line: after a separator, and never inside a known value. */
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

interface TextFile {
  readonly input: Input
  readonly kind: TextKind
  readonly stop: AbortSignal
  /** Called with the number of bytes of each piece. */
  readonly onRead: (bytes: number) => void
}

/** First pass: collects the values that the file names as secrets. Throws RedactError. */
export async function collectText(file: TextFile, redaction: Redaction): Promise<void> {
  for await (const _ of redactedPieces(file, redaction));
}

/** Second pass: writes the copy. Throws RedactError. */
export async function rewriteText(
  file: TextFile,
  output: string,
  redaction: Redaction,
): Promise<void> {
  const target = await fs.open(output, 'wx', 0o600)
  try {
    for await (const text of redactedPieces(file, redaction)) {
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; ) at += (await target.write(bytes, at)).bytesWritten
    }
  } finally {
    await target.close()
  }
}

async function* redactedPieces(
  { input, kind, stop, onRead }: TextFile,
  redaction: Redaction,
): AsyncGenerator<string> {
  const document = createDocumentRedactor(kind, redaction)
  const decoder = new StringDecoder('utf8')
  for await (const piece of input.pieces(stop)) {
    refuseBinary(piece)
    yield document.push(decoder.write(piece))
    onRead(piece.length)
  }
  yield document.push(decoder.end()) + document.end()
}
