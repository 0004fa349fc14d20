import { promises as fs } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { createDocumentRedactor, type TextKind } from '../document/document.ts'
import type { Redaction } from '../redaction/redact-line.ts'
import { refuseBinary } from './file-kind.ts'
import type { Input } from './input.ts'

export interface TextFile {
  readonly input: Input
  readonly kind: TextKind
  readonly stop: AbortSignal
  /** Called with the number of bytes of each piece. */
  readonly onRead: (bytes: number) => void
}

/** First pass: what the file names as a secret is remembered. Throws RedactError. */
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
