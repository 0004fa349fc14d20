import type { Account, AccountEvidence } from '@svc/core'
import type { RememberedLogin } from '@svc/core/pool'

/** Identities kept; later ones are not. */
const IDENTITIES_MAX = 20_000

/** Account keys by the identity that vendors give their logins, shared by all proxies: the first key of an identity stays. See docs/rules.md#account-identity. */
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
    /** The key of an account whose samples show these identities; `ownKey` unless one of them is known by another. */
    keyOf(identities: readonly string[], ownKey: string) {
      const known = identities.map((identity) => keyByIdentity.get(identity))
      const accountKey = known.find((key) => key !== undefined) ?? ownKey
      for (const identity of identities) note(identity, accountKey)
      return accountKey
    },
  }
}

export type LoginAliases = ReturnType<typeof createLoginAliases>

/** The vendor's identities of an account in its evidence, newest first. */
export function identitiesIn(evidence: AccountEvidence | undefined): readonly string[] {
  const samples = evidence?.samples ?? []
  return samples
    .toSorted((one, other) => other.sampledAt - one.sampledAt)
    .flatMap(({ vendorIdentity }) => vendorIdentity ?? [])
}

/** An account whose vendor names its organisation, which its members share: together with the address it is one account. */
const SHARED_BY_MEMBERS: ReadonlySet<string> = new Set(['claude'])

/** The text that identifies a login at its vendor; null if it does not tell one account from another. */
export function loginIdentityOf(
  { provider, email }: Pick<Account, 'provider' | 'email'>,
  vendorIdentity: string,
): string | null {
  if (!SHARED_BY_MEMBERS.has(provider)) return `${provider}|${vendorIdentity}`
  return email === null ? null : `${provider}|${email}|${vendorIdentity}`
}
