import { computed } from '@preact/signals'
import type { PoolAccount } from './live-data.ts'
import { accountKeyOf, accounts, allAccounts } from './pool.ts'
import { accountHref, viewHref } from './route.ts'

/** An account that a text names, and where its details are. */
export interface AccountLink {
  readonly title: string
  readonly href: string
}

const accountsByKey = computed(() => {
  const byKey = new Map<string, PoolAccount>()
  // An account with several files is shown by its best-ranked one, of the proxy that is shown where it is there.
  for (const account of [...accounts.value, ...allAccounts.value]) {
    const { accountKey } = account.selector
    if (!byKey.has(accountKey)) byKey.set(accountKey, account)
  }
  return byKey
})

/** The accounts that an item of health is about, in its order, without those that have left the pool. */
export function accountLinks(accountKeys: readonly string[] = []): readonly AccountLink[] {
  return found(accountKeys).map((account) => ({
    title: account.title,
    href: accountHref(accountKeyOf(account)),
  }))
}

/** Where an item of health leads: to its account, to the table of its accounts, or null where it is about none. */
export function hrefOfAccounts(accountKeys: readonly string[] = []): string | null {
  const [first, ...others] = found(accountKeys)
  if (first === undefined) return null
  return others.length === 0 ? accountHref(accountKeyOf(first)) : tableHref([first, ...others])
}

function found(accountKeys: readonly string[]): readonly PoolAccount[] {
  return accountKeys.flatMap((key) => accountsByKey.value.get(key) ?? [])
}

/** The table of accounts, showing those of the status that all of these have; of all accounts where they have several. */
function tableHref([first, ...others]: readonly [PoolAccount, ...PoolAccount[]]): string {
  const { text } = first.status
  const haveOneStatus = others.every(({ status }) => status.text === text)
  return haveOneStatus ? tableOf({ q: text }) : viewHref('accounts')
}

/** The table of accounts with its search (`q`) or its filter (`f`) set. */
export function tableOf(parameters: Readonly<Record<string, string>>): string {
  return `#accounts?${new URLSearchParams(parameters)}`
}
