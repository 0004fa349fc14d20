import type { Redacted } from '@svc/core/service'

const REPLACEMENT = '[secret]'
/** Members with the proxy's fixed words, which readers need. A password equal to such a word would not be hidden by replacing it. */
const WORD_MEMBERS: ReadonlySet<string> = new Set(['provider', 'type', 'status', 'plan_type'])

/** Creates an empty set of secrets. */
export function createOwnSecrets() {
  const texts = new Set<string>()
  let learned: Promise<unknown> = Promise.resolve()

  const add = (secret: Redacted) => {
    const text = secret.reveal().trim()
    if (text !== '') texts.add(text)
  }
  const replaceInMembers = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const members = value as Record<string, unknown>
    for (const name in members) {
      const member = members[name]
      if (typeof member !== 'string') replaceInMembers(member)
      else if (texts.has(member.trim()) && !WORD_MEMBERS.has(name)) members[name] = REPLACEMENT
    }
  }

  return {
    /** Adds a secret. Secrets are never removed: an earlier key may still be shown. */
    add,
    /** Adds a secret that is still being read; the next answer waits for it. Null adds nothing. */
    learn(secret: Promise<Redacted | null>) {
      const added = secret.then((known) => known !== null && add(known))
      learned = Promise.all([learned, added])
    },
    /** Replaces every text of an answer that equals a secret, in place. */
    async replaceIn(answer: unknown) {
      await learned
      replaceInMembers(answer)
    },
  }
}

export type OwnSecrets = ReturnType<typeof createOwnSecrets>
