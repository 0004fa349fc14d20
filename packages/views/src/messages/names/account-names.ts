import type { NamedAccount } from '@svc/core/health'

/** Most accounts of a group that are named; the rest are counted. */
const NAMED_ACCOUNTS_MAX = 5

export interface AboutAccounts {
  readonly accounts: readonly NamedAccount[]
}

/** The first few names of a group, and the number of others. */
export function someNamesOf({ accounts }: AboutAccounts): {
  readonly named: readonly string[]
  readonly unnamedCount: number
} {
  const named = accounts.slice(0, NAMED_ACCOUNTS_MAX).map(({ title }) => title)
  return { named, unnamedCount: accounts.length - named.length }
}
