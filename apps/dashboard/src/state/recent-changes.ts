import { computed } from '@preact/signals'
import type { HealthItem } from '@svc/views'
import { type ChangeKindId, changeKind, changesAbout } from './display-state.ts'
import { health } from './live-data.ts'

/** Payload kinds of each kind that can be shown. */
const KINDS: Readonly<Record<ChangeKindId, ReadonlySet<string>>> = {
  account: new Set(['status', 'quota', 'plan']),
  pool: new Set(['account']),
  source: new Set(['source', 'benchmark', 'refresh']),
}

const isOfKind = ({ kind }: HealthItem, id: ChangeKindId | 'all') =>
  id === 'all' || KINDS[id].has(kind)

const changes = computed(() => health.value?.recentChanges ?? [])

/** Changes of an account, newest first. */
export const changesAboutAccount = (accountKey: string): readonly HealthItem[] =>
  changes.value.filter(({ accountKeys }) => accountKeys?.includes(accountKey))

const aboutAccount = computed(() =>
  changesAbout.value === '' ? changes.value : changesAboutAccount(changesAbout.value),
)

/** Changes that pass the filters, newest first. */
export const foundChanges = computed(() =>
  aboutAccount.value.filter((change) => isOfKind(change, changeKind.value)),
)

/** Number of changes of a kind, limited to the chosen account if there is one. */
export const changeCount = (id: ChangeKindId | 'all'): number =>
  aboutAccount.value.filter((change) => isOfKind(change, id)).length

/** Accounts with changes, sorted by name, including accounts that have left the pool. */
export const changedAccounts = computed(() => {
  const titles = new Map<string, string>()
  for (const { accountKeys = [], title } of changes.value)
    for (const key of accountKeys) if (!titles.has(key)) titles.set(key, title)
  return [...titles]
    .map(([key, title]) => ({ key, title }))
    .sort((a, b) => (a.title < b.title ? -1 : 1))
})

/** Link to the changes of an account. */
export const changesHref = (accountKey: string): string =>
  `#health?${new URLSearchParams({ about: accountKey })}`
