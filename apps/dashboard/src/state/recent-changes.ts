import { computed } from '@preact/signals'
import { type ChangeKindId, changeKind, changesAbout } from './change-filter.ts'
import { health } from './live-data.ts'

export type Change = NonNullable<typeof health.value>['recentChanges'][number]

/** The kinds of the payload that are shown as one. */
const KINDS: Readonly<Record<ChangeKindId, ReadonlySet<string>>> = {
  account: new Set(['status', 'quota', 'plan']),
  pool: new Set(['account']),
  source: new Set(['source', 'benchmark', 'refresh']),
}

const isOfKind = ({ kind }: Change, id: ChangeKindId | 'all') => id === 'all' || KINDS[id].has(kind)

const changes = computed(() => health.value?.recentChanges ?? [])

/** What has changed of an account, newest first. */
export const changesOf = (accountKey: string): readonly Change[] =>
  changes.value.filter(({ accountKeys }) => accountKeys?.includes(accountKey))

const aboutAccount = computed(() =>
  changesAbout.value === '' ? changes.value : changesOf(changesAbout.value),
)

/** The changes that are asked for, newest first. */
export const foundChanges = computed(() =>
  aboutAccount.value.filter((change) => isOfKind(change, changeKind.value)),
)

/** How many changes of a kind there are of the account that is asked for. */
export const changeCount = (id: ChangeKindId | 'all'): number =>
  aboutAccount.value.filter((change) => isOfKind(change, id)).length

/** The accounts that something has changed of, by name, also those that have left the pool. */
export const changedAccounts = computed(() => {
  const titles = new Map<string, string>()
  for (const { accountKeys = [], title } of changes.value)
    for (const key of accountKeys) if (!titles.has(key)) titles.set(key, title)
  return [...titles]
    .map(([key, title]) => ({ key, title }))
    .sort((a, b) => (a.title < b.title ? -1 : 1))
})

/** Where the changes of an account are. */
export const changesHref = (accountKey: string): string =>
  `#health?${new URLSearchParams({ about: accountKey })}`
