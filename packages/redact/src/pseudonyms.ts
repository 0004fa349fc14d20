import { createHmac, randomBytes } from 'node:crypto'

/** The kinds of replaced values, as pseudonyms and the summary name them. */
export type SecretKind = 'secret' | 'email' | 'hidden'

/** A stretch of text that is replaced. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: SecretKind
  /** Value whose pseudonym is written, if it differs from the text of the span. */
  readonly value?: string
}

/** The kind of a value. An e-mail address gets a pseudonym in the form of an address. */
export function kindOf(value: string): SecretKind {
  return /^[^\s@]+@[^\s@]+$/.test(value) ? 'email' : 'secret'
}

/** Number of hexadecimal digits. They make 48 bits: the chance that two of a million values share a pseudonym is 1 in 500. */
const HEX_LENGTH = 12
const DOMAIN = 'redacted.invalid'
const SHAPE = `(?:(?:secret|hidden)-[0-9a-f]{${HEX_LENGTH}}|user-[0-9a-f]{${HEX_LENGTH}}@redacted\\.invalid)(?![\\w@])`

/** Matches every pseudonym in a text. Pseudonyms contain no character with a special meaning in any text format. */
export const PSEUDONYMS = new RegExp(`(?<![\\w@])${SHAPE}`, 'g')
/** Words of pseudonyms: a search for them would find the redaction itself. */
export const PSEUDONYM_WORD = /^(?:secret|hidden|user|redacted|invalid|redacted\.invalid)$/i

export function isPseudonym(text: string): boolean {
  return new RegExp(`^${SHAPE}$`).test(text)
}

/** Replaces values by pseudonyms. Equal values have equal pseudonyms within a run; those of different runs are unrelated. */
export type Pseudonyms = ReturnType<typeof createPseudonyms>

/** Makes pseudonyms with a random key that exists only in memory, so that nobody can make them again. */
export function createPseudonyms({ keepMap }: { readonly keepMap: boolean }) {
  const key = randomBytes(32)
  const counts: Partial<Record<SecretKind, number>> = {}
  const map = new Map<string, string>()
  return {
    of(kind: SecretKind, value: string): string {
      counts[kind] = (counts[kind] ?? 0) + 1
      const identity = kind === 'email' ? value.toLowerCase() : value
      const hex = createHmac('sha256', key).update(identity).digest('hex').slice(0, HEX_LENGTH)
      const text = kind === 'email' ? `user-${hex}@${DOMAIN}` : `${kind}-${hex}`
      if (keepMap) map.set(text, value)
      return text
    },
    /** Number of replacements so far, by kind. */
    counts: (): Readonly<typeof counts> => counts,
    /** The value behind each pseudonym; empty unless the map is kept. */
    map: (): ReadonlyMap<string, string> => map,
  }
}
