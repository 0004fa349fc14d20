import type { NamedAccount } from '@svc/core/service'
import { countedText } from '../../format/format.ts'

/** Accounts of a group that are named; the rest is counted. */
const NAMED_ACCOUNTS_MAX = 5

interface AboutAccounts {
  readonly accounts: readonly NamedAccount[]
}

/** One account by its name, a group by its size. */
export function whoIn({ accounts }: AboutAccounts): string {
  const [first, ...others] = accounts
  return first !== undefined && others.length === 0
    ? first.title
    : countedText(accounts.length, 'account')
}

/** The first few names of a group; null for one account, which `whoIn` names. */
export function namesIn({ accounts }: AboutAccounts): string | null {
  if (accounts.length === 1) return null
  const named = accounts.slice(0, NAMED_ACCOUNTS_MAX).map(({ title }) => title)
  const unnamedCount = accounts.length - named.length
  return unnamedCount === 0 ? named.join(', ') : `${named.join(', ')} and ${unnamedCount} more`
}
