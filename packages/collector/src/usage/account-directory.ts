import type { AccountList, ProviderId } from '@svc/core'
import { OTHER_ACCOUNT } from '@svc/core/usage'

/** Account and vendor of a usage record. */
export interface UsageOwner {
  /** Key of an account, or `other:<provider>`. */
  readonly accountKey: string
  /** The account's vendor; null if neither a file nor the record names one. */
  readonly provider: ProviderId | null
}

/** Data for finding the account of a usage record; plain, so that it can be sent to another thread. */
export interface AccountDirectory {
  readonly ownerByIndex: ReadonlyMap<string, UsageOwner>
  /** Owners by `emailKey`, without addresses that belong to several accounts. */
  readonly ownerByEmail: ReadonlyMap<string, UsageOwner>
}

export function accountDirectoryOf({ accounts }: Pick<AccountList, 'accounts'>): AccountDirectory {
  const ownerByIndex = new Map<string, UsageOwner>()
  const ownersByEmail = new Map<string, Map<string, UsageOwner>>()
  const noteEmail = (key: string, owner: UsageOwner) => {
    const owners = ownersByEmail.get(key) ?? new Map<string, UsageOwner>()
    ownersByEmail.set(key, owners.set(owner.accountKey, owner))
  }
  const note = (authIndex: string, email: string | null, owner: UsageOwner) => {
    if (authIndex !== '') ownerByIndex.set(authIndex, owner)
    if (email === null) return
    noteEmail(emailKey(owner.provider, email), owner)
    noteEmail(emailKey(null, email), owner)
  }
  for (const { selector, provider, email } of accounts) {
    const { authIndex, accountKey } = selector
    note(authIndex, email, { accountKey, provider })
  }
  const ownerByEmail = new Map(
    [...ownersByEmail].flatMap(([key, owners]) => {
      const [owner, ...others] = owners.values()
      return owner === undefined || others.length > 0 ? [] : [[key, owner] as const]
    }),
  )
  return { ownerByIndex, ownerByEmail }
}

/** The directory before the first account list; it assigns no record to a listed account. */
export const noAccounts: AccountDirectory = {
  ownerByIndex: new Map(),
  ownerByEmail: new Map(),
}

const PROVIDER_LENGTH_MAX = 32

/**
 * Owner by the proxy's index, else by the address if a single account of the record's provider has it, else `other:<provider>`. A record without a
 * provider is matched by an address only if all logins with the address have the same provider. See docs/rules.md#usage-records.
 */
export function ownerIn(
  directory: AccountDirectory,
  of: { readonly authIndex: string; readonly source: string; readonly provider: string },
): UsageOwner {
  const provider = providerNameOf(of.provider)
  return (
    directory.ownerByIndex.get(of.authIndex) ??
    directory.ownerByEmail.get(emailKey(provider, of.source.toLowerCase())) ??
    nobodyOf(provider)
  )
}

function nobodyOf(provider: ProviderId | null): UsageOwner {
  const name = provider === null ? null : providerNameOf(provider)
  return { accountKey: OTHER_ACCOUNT + (name ?? 'unknown'), provider: name }
}

function emailKey(provider: ProviderId | null, email: string): string {
  return `${provider ?? ''} ${email}`
}

/** Normalizes a provider's name for the store; null if no usable characters remain. */
function providerNameOf(provider: string): string | null {
  const name = provider
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '')
    .slice(0, PROVIDER_LENGTH_MAX)
  return name === '' ? null : name
}
