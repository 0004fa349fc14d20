import { bytesOf, textOf } from '../byte-text.ts'
import { createDocumentReader, type TextKind } from '../document/document.ts'
import { createRendering } from '../document/render.ts'
import { createKnownValues } from '../known/known-values.ts'
import { createPseudonyms, type Pseudonyms } from '../pseudonyms.ts'

export interface RedactTextOptions {
  readonly kind?: TextKind
  readonly isSettings?: boolean
  readonly known?: readonly string[]
  readonly pieceLength?: number
  readonly pseudonyms?: Pseudonyms
}

/** A text as its redacted copy reads. */
export function redactText(text: string, options: RedactTextOptions = {}): string {
  const {
    kind = 'text',
    isSettings = false,
    known = [],
    pieceLength = 64 * 1024,
    pseudonyms = createPseudonyms({ keepMap: false }),
  } = options
  const values = known.map(
    (value) => ({ value: bytesOf(value), kind: 'secret', asWord: false }) as const,
  )
  const reader = createDocumentReader({ kind, isSettings, known: createKnownValues(values) })
  const render = createRendering(pseudonyms)
  const bytes = bytesOf(text)
  let out = ''
  for (let from = 0; from < bytes.length; from += pieceLength)
    out += render(reader.push(bytes.slice(from, from + pieceLength)))
  return textOf(out + render(reader.end()))
}
