import { computed } from '@preact/signals'
import type { HealthItem } from '@svc/views'
import { EVERY_PROVIDER, health, type PoolAccount } from './live-data.ts'
import { accountKeyOf, allFiles, rowKeyOf, shownAccounts } from './pool.ts'
import { allPools, homeProvider, isOfAll, shownPool } from './providers.ts'
import { accountHref } from './route.ts'

const accountsByKey = computed(() => {
  const byKey = new Map<string, PoolAccount>()
  // An account with several files is represented by its best-ranked one, preferably at the shown proxy.
  for (const account of [...shownAccounts.value, ...allFiles.value]) {
    const { accountKey } = account.selector
    if (!byKey.has(accountKey)) byKey.set(accountKey, account)
  }
  return byKey
})

/** Titles of the accounts of a health item and links to their details, in its order; accounts that have left the pool are omitted. */
export function accountLinks(accountKeys: readonly string[] = []) {
  return find(accountKeys).map((account) => ({
    title: account.title,
    href: accountHref(accountKeyOf(account)),
  }))
}

/**
 * Link of a health item to its account or to the table of its accounts; null without accounts. Accounts of hidden providers are linked to the table
 * of all providers.
 */
export function accountsHref(accountKeys: readonly string[] = []): string | null {
  const [first, ...others] = find(accountKeys)
  if (first === undefined || others.length + 1 < accountKeys.length) {
    const isElsewhere = accountKeys.length > 0 && allPools.value.length > 1 && !isOfAll.value
    if (isElsewhere) return accountsTableHref({ f: 'needs', provider: EVERY_PROVIDER })
  }
  if (first === undefined) return null
  return others.length === 0 ? accountHref(accountKeyOf(first)) : tableHref([first, ...others])
}

function find(accountKeys: readonly string[]): readonly PoolAccount[] {
  return accountKeys.flatMap((key) => accountsByKey.value.get(key) ?? [])
}

/** Link to the table of accounts, filtered by a blocking reason that all of these share, else by accounts that need the operator. */
function tableHref([first, ...others]: readonly [PoolAccount, ...PoolAccount[]]): string {
  const shared = first.blockedReasons.find((reason) =>
    others.every(({ blockedReasons }) => blockedReasons.includes(reason)),
  )
  return accountsTableHref(shared === undefined ? { f: 'needs' } : { by: shared })
}

/** Link to the table of accounts with its search (`q`) or its filter (`f`) set. */
export function accountsTableHref(parameters: Readonly<Record<string, string>>): string {
  return `#accounts?${new URLSearchParams(parameters)}`
}

/** The open actions: those that concern the shown provider or no provider, and those of other providers. */
export const scopedActions = computed(() => {
  const shown = shownPool.value?.provider
  const isElsewhere = ({ affected }: HealthItem) =>
    shown !== undefined && affected?.every(({ provider }) => provider !== shown) === true
  const actions = health.value?.actions ?? []
  return {
    own: actions.filter((action) => !isElsewhere(action)),
    elsewhere: actions.filter(isElsewhere),
  }
})

/** Link to an action's account; to the table of its accounts if there are several; null if there are none. */
export function actionHref({ accountKeys, affected = [] }: HealthItem): string | null {
  const [only, ...others] = affected.flatMap(({ accounts }) => accounts)
  const count = affected.reduce((sum, each) => sum + each.count, 0)
  if (only === undefined || others.length > 0 || count > 1) return accountsHref(accountKeys)
  return affectedHref(affected[0]?.provider ?? '', only)
}

type Affected = NonNullable<HealthItem['affected']>[number]

/** Link to the details of an affected account; it chooses the account's provider if that is not shown. */
export function affectedHref(provider: string, account: Affected['accounts'][number]): string {
  const key = rowKeyOf(account)
  if (isOfAll.value || provider === shownPool.value?.provider) return accountHref(key)
  const choice = new URLSearchParams({ provider: provider === homeProvider.value ? '' : provider })
  return `#accounts/${encodeURIComponent(key)}?${choice}`
}
