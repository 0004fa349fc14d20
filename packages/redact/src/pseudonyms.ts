import { createHmac, randomBytes } from 'node:crypto'
import { textOf } from './byte-text.ts'
import type { SecretKind } from './span.ts'

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
const KINDS = 'secret|uuid|ip|mac|user|path|agent|dump'
const HEX = `[0-9a-f]{${HEX_LENGTH}}`
const SHAPE = String.raw`(?:<|&lt;)(?:${KINDS}):${HEX}(?:>|&gt;)|user-${HEX}@redacted\.invalid`

/** Every pseudonym in a text, in the forms that files and markup show. A file name may look like one and be a secret: `user-3f9a0c7be112`. */
export const PSEUDONYMS = new RegExp(SHAPE, 'g')
/** Words that occur in every pseudonym: a search for them would find the redaction itself. */
export const PSEUDONYM_WORDS: ReadonlySet<string> = new Set([
  ...KINDS.split('|'),
  'redacted',
  'invalid',
  DOMAIN,
])

/** True if a text holds a pseudonym and nothing else that could be a secret. */
export function isReplaced(text: string): boolean {
  const left = text.replace(PSEUDONYMS, '')
  return (
    left.length < text.length &&
    !/[A-Za-z0-9\x80-\xff]{3}/.test(left.replace(/Bearer|Basic|Digest|codex|json/gi, ''))
  )
}

/** Rewrites pseudonyms for a file name, which may not hold `<`, `>` and `:`. */
export function inFileName(text: string): string {
  return text.replace(new RegExp(`<(${KINDS}):(${HEX})>`, 'g'), '$1-$2')
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
      const hex = createHmac('sha256', key)
        .update(identity, 'latin1')
        .digest('hex')
        .slice(0, HEX_LENGTH)
      const text =
        kind === 'email'
          ? `user-${hex}@${DOMAIN}`
          : `<${kind === 'known' ? 'secret' : kind}:${hex}>`
      if (keepMap) map.set(text, textOf(value))
      return text
    },
    counts: () => counts,
    map: () => map,
  }
}
