import { createHmac, randomBytes } from 'node:crypto'

/** What was replaced, as the summary counts it. */
export type SecretKind = 'known' | 'email' | 'secret' | 'uuid' | 'ip' | 'mac' | 'user' | 'path' | 'agent'

/** Stand-ins for what is replaced: equal stays equal within a run, and nothing links two runs. */
export interface Pseudonyms {
  of(kind: SecretKind, value: string): string
  /** How often each kind was replaced so far. */
  counts(): Readonly<Partial<Record<SecretKind, number>>>
  /** What stands for what; empty unless it is kept. */
  map(): ReadonlyMap<string, string>
}

const HEX_LENGTH = 6
export const REDACTED_DOMAIN = 'redacted.invalid'
/** Text that is a stand-in already. */
export const PSEUDONYM = new RegExp(
  `^(?:<[a-z]{2,6}:[0-9a-f]{${HEX_LENGTH}}>|user-[0-9a-f]{${HEX_LENGTH}}@${REDACTED_DOMAIN.replace('.', '\\.')})$`,
)

/** With a key of its own, which is gone with it. */
export function createPseudonyms({ keepMap }: { readonly keepMap: boolean }): Pseudonyms {
  const key = randomBytes(32)
  const counts: Partial<Record<SecretKind, number>> = {}
  const map = new Map<string, string>()
  return {
    of(kind, value) {
      counts[kind] = (counts[kind] ?? 0) + 1
      const hex = createHmac('sha256', key).update(value).digest('hex').slice(0, HEX_LENGTH)
      const text = kind === 'email' ? `user-${hex}@${REDACTED_DOMAIN}` : `<${kind === 'known' ? 'secret' : kind}:${hex}>`
      if (keepMap) map.set(text, value)
      return text
    },
    counts: () => counts,
    map: () => map,
  }
}
