import type { NamedAccount } from '@svc/core/health'

/** Accounts of a group that are named; the rest is counted. */
const NAMED_ACCOUNTS_MAX = 5

/** Something that is said of several accounts. */
export interface AboutAccounts {
  readonly accounts: readonly NamedAccount[]
}

/** The first few names of a group, and how many more there are. */
export function someNamesOf({ accounts }: AboutAccounts): {
  readonly named: readonly string[]
  readonly unnamedCount: number
} {
  const named = accounts.slice(0, NAMED_ACCOUNTS_MAX).map(({ title }) => title)
  return { named, unnamedCount: accounts.length - named.length }
}
