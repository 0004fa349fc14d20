import type { TextKind } from '../files/input.ts'
import { createDocumentRedactor } from '../files/redact-text.ts'
import { createCollectedValues } from '../known/collected-values.ts'
import { createKnownValues } from '../known/known-values.ts'
import { createPseudonyms, kindOf, type Pseudonyms } from '../pseudonyms.ts'

export interface RedactTextOptions {
  readonly kind?: TextKind
  readonly known?: readonly string[]
  readonly pieceLength?: number
  readonly pseudonyms?: Pseudonyms
}

/** A text as its redacted copy reads. */
export function redactText(text: string, options: RedactTextOptions = {}): string {
  const { kind = 'text', known = [], pieceLength = 64 * 1024 } = options
  const { pseudonyms = createPseudonyms({ keepMap: false }) } = options
  const values = known.map((value) => ({ value, kind: kindOf(value), asWord: false }))
  return throughDocument(text, pieceLength, kind, {
    known: createKnownValues(values),
    pseudonyms,
    collected: null,
  })
}

/** The values that a text names as secrets. */
export function collectedFrom(text: string, kind: TextKind = 'text'): readonly string[] {
  const collected = createCollectedValues()
  const pseudonyms = createPseudonyms({ keepMap: false })
  throughDocument(text, 64 * 1024, kind, { known: createKnownValues([]), pseudonyms, collected })
  return collected.values().map(({ value }) => value)
}

function throughDocument(
  text: string,
  pieceLength: number,
  ...[kind, redaction]: Parameters<typeof createDocumentRedactor>
): string {
  const document = createDocumentRedactor(kind, redaction)
  let out = ''
  for (let from = 0; from < text.length; from += pieceLength)
    out += document(text.slice(from, from + pieceLength), false)
  return out + document('', true)
}

/** The text with one mark for every pseudonym, to compare with. */
export function withMarks(text: string): string {
  return text.replace(/(?:secret|hidden)-[0-9a-f]{12}|user-[0-9a-f]{12}@redacted\.invalid/g, '‹›')
}
