import type { Account } from '@svc/core'
import { OTHER_ACCOUNT } from '@svc/core/usage'

/** Finds the account a usage record belongs to. Plain data, so that it can be handed to another thread. */
export interface AccountDirectory {
  readonly keyByIndex: ReadonlyMap<string, string>
  /** Lower-case addresses that name one account alone. */
  readonly keyByEmail: ReadonlyMap<string, string>
  /** What accounts are called, by key. */
  readonly titleByKey: ReadonlyMap<string, string>
}

export function accountDirectoryOf(accounts: readonly Account[]): AccountDirectory {
  const keyByIndex = new Map<string, string>()
  const keysByEmail = new Map<string, Set<string>>()
  const titleByKey = new Map<string, string>()
  for (const { selector, email, title } of accounts) {
    if (selector.authIndex !== '') keyByIndex.set(selector.authIndex, selector.accountKey)
    if (email !== null)
      keysByEmail.set(email, (keysByEmail.get(email) ?? new Set()).add(selector.accountKey))
    if (!titleByKey.has(selector.accountKey)) titleByKey.set(selector.accountKey, title)
  }
  const keyByEmail = new Map(
    [...keysByEmail].flatMap(([email, [key, ...others]]) =>
      key === undefined || others.length > 0 ? [] : [[email, key] as const],
    ),
  )
  return { keyByIndex, keyByEmail, titleByKey }
}

/** The directory before the account list was read: every record is then of none of the listed accounts. */
export const noAccounts: AccountDirectory = {
  keyByIndex: new Map(),
  keyByEmail: new Map(),
  titleByKey: new Map(),
}

const PROVIDER_LENGTH_MAX = 32

/** By the proxy's index, else by the address when it names one account alone, else none of the listed ones. See docs/rules.md#usage-records. */
export function accountKeyIn(
  directory: AccountDirectory,
  of: { readonly authIndex: string; readonly source: string; readonly provider: string },
): string {
  return (
    directory.keyByIndex.get(of.authIndex) ??
    directory.keyByEmail.get(of.source.toLowerCase()) ??
    OTHER_ACCOUNT + (providerNameOf(of.provider) ?? 'unknown')
  )
}

/** The name of a provider as it is kept; null where nothing of it can be. */
export function providerNameOf(provider: string): string | null {
  const name = provider
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '')
    .slice(0, PROVIDER_LENGTH_MAX)
  return name === '' ? null : name
}
