import type { Account, AccountEvidence } from '@svc/core'
import type { RememberedLogin } from '@svc/core/pool'

/** Maximum number of identities kept; further ones are ignored. */
const IDENTITIES_MAX = 20_000

/**
 * Account keys by the identity of a login at its vendor, shared by all proxies. An identity keeps its first key. See docs/rules.md#account-identity.
 */
export function createLoginAliases() {
  const keyByIdentity = new Map<string, string>()
  const note = (identity: string, accountKey: string) => {
    if (keyByIdentity.size < IDENTITIES_MAX && !keyByIdentity.has(identity))
      keyByIdentity.set(identity, accountKey)
  }
  return {
    /** Takes the logins of an earlier process. */
    restore(logins: readonly RememberedLogin[]) {
      for (const { identity, accountKey } of logins) note(identity, accountKey)
    },
    /** The key already stored for one of these identities; `ownKey` if none of them is stored. */
    keyOf(identities: readonly string[], ownKey: string) {
      const known = identities.map((identity) => keyByIdentity.get(identity))
      const accountKey = known.find((key) => key !== undefined) ?? ownKey
      for (const identity of identities) note(identity, accountKey)
      return accountKey
    },
  }
}

export type LoginAliases = ReturnType<typeof createLoginAliases>

/** Identities at the vendor in an account's evidence, newest first. */
export function identitiesIn(evidence: AccountEvidence | undefined): readonly string[] {
  const named = evidence?.samples.filter(({ vendorIdentity }) => vendorIdentity !== undefined) ?? []
  return named
    .toSorted((one, other) => other.sampledAt - one.sampledAt)
    .flatMap(({ vendorIdentity }) => vendorIdentity ?? [])
}

/** Vendors whose identity is the organisation, shared by its members; only together with the e-mail address does it identify an account. */
const SHARED_BY_MEMBERS: ReadonlySet<string> = new Set(['claude'])

/** The text that identifies a login at its vendor; null if the vendor's identity alone does not distinguish accounts. */
export function loginIdentityOf(
  { provider, email }: Pick<Account, 'provider' | 'email'>,
  vendorIdentity: string,
): string | null {
  if (!SHARED_BY_MEMBERS.has(provider)) return `${provider}|${vendorIdentity}`
  return email === null ? null : `${provider}|${email}|${vendorIdentity}`
}
