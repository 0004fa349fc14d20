import { promises as fs } from 'node:fs'
import type { CollectedValues } from '../collect/collected-values.ts'
import { createDocumentReader, type TextKind } from '../document/document.ts'
import { createRendering } from '../document/render.ts'
import { type KnownValues, NOTHING_KNOWN } from '../known/known-values.ts'
import type { Pseudonyms } from '../pseudonyms.ts'
import { isSettingsFile, refuseBinary } from './file-kind.ts'
import type { Input } from './input.ts'

export interface TextFile {
  readonly input: Input
  readonly path: string
  readonly kind: TextKind
  readonly stop: AbortSignal
  /** Called with the number of bytes of each piece. */
  readonly onRead: (bytes: number) => void
}

/** First pass: what the file names as a secret is remembered. Throws RedactError. */
export async function collectText(
  { input, path, kind, stop, onRead }: TextFile,
  collected: CollectedValues,
): Promise<void> {
  const reader = createDocumentReader({
    kind,
    isSettings: isSettingsFile(path),
    known: NOTHING_KNOWN,
  })
  const take = (parts: ReturnType<typeof reader.end>) => {
    for (const part of parts)
      if (part.kind === 'hidden') for (const span of part.all) collected.addFound(span)
  }
  for await (const piece of input.pieces(stop)) {
    refuseBinary(piece)
    take(reader.push(piece.toString('latin1')))
    onRead(piece.length)
  }
  take(reader.end())
}

/** Second pass: writes the copy. Throws RedactError. */
export async function rewriteText(
  { input, path, kind, stop, onRead }: TextFile,
  output: string,
  { known, pseudonyms }: { readonly known: KnownValues; readonly pseudonyms: Pseudonyms },
): Promise<void> {
  const reader = createDocumentReader({ kind, isSettings: isSettingsFile(path), known })
  const render = createRendering(pseudonyms)
  const target = await fs.open(output, 'wx', 0o600)
  try {
    const write = async (text: string) => {
      const bytes = Buffer.from(text, 'latin1')
      for (let at = 0; at < bytes.length; ) at += (await target.write(bytes, at)).bytesWritten
    }
    for await (const piece of input.pieces(stop)) {
      refuseBinary(piece)
      await write(render(reader.push(piece.toString('latin1'))))
      onRead(piece.length)
    }
    await write(render(reader.end()))
  } finally {
    await target.close()
  }
}
