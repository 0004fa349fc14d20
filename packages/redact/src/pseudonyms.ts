import { createHmac, randomBytes } from 'node:crypto'

/** The kinds of replaced values, as pseudonyms and the summary name them. */
export type SecretKind = 'secret' | 'email' | 'hidden'

/** A stretch of text that is replaced. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly kind: SecretKind
  /** Value whose pseudonym is written, where it is not the text itself. */
  readonly value?: string
}

/** An address of mail has a pseudonym that is one as well. */
export function kindOf(value: string): SecretKind {
  return /^[^\s@]+@[^\s@]+$/.test(value) ? 'email' : 'secret'
}

/** Replaces values: equal values have equal pseudonyms within a run, and two runs have nothing in common. */
export interface Pseudonyms {
  of(kind: SecretKind, value: string): string
  /** Number of replacements so far, by kind. */
  counts(): Readonly<Partial<Record<SecretKind, number>>>
  /** The value behind each pseudonym; empty unless the map is kept. */
  map(): ReadonlyMap<string, string>
}

/** Makes 48 bits: among a million values two share a pseudonym with a chance of 1 in 500. */
const HEX_LENGTH = 12
const DOMAIN = 'redacted.invalid'
const SHAPE = `(?:(?:secret|hidden)-[0-9a-f]{${HEX_LENGTH}}|user-[0-9a-f]{${HEX_LENGTH}}@redacted\\.invalid)(?![\\w@])`

/** Every pseudonym in a text. They have no sign that a format of text gives a meaning to. */
export const PSEUDONYMS = new RegExp(`(?<![\\w@])${SHAPE}`, 'g')
/** Words that occur in every pseudonym: a search for them would find the redaction itself. */
export const PSEUDONYM_WORDS: ReadonlySet<string> = new Set([
  'secret',
  'hidden',
  'user',
  'redacted',
  'invalid',
  DOMAIN,
])

export function isPseudonym(text: string): boolean {
  return new RegExp(`^${SHAPE}$`).test(text)
}

/** Makes pseudonyms with a random key that exists only in memory, so that nobody can make them again. */
export function createPseudonyms({ keepMap }: { readonly keepMap: boolean }): Pseudonyms {
  const key = randomBytes(32)
  const counts: Partial<Record<SecretKind, number>> = {}
  const map = new Map<string, string>()
  return {
    of(kind, value) {
      counts[kind] = (counts[kind] ?? 0) + 1
      const identity = kind === 'email' ? value.toLowerCase() : value
      const hex = createHmac('sha256', key).update(identity).digest('hex').slice(0, HEX_LENGTH)
      const text = kind === 'email' ? `user-${hex}@${DOMAIN}` : `${kind}-${hex}`
      if (keepMap) map.set(text, value)
      return text
    },
    counts: () => counts,
    map: () => map,
  }
}
