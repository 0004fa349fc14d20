import { computed, signal } from '@preact/signals'
import { privacy } from './display-state.ts'
import { hideNames } from './hidden-names.ts'
import type { PoolAccount } from './live-data.ts'
import { accounts, expiresSoon, isDisabled, isRoutable, isStale, windowOf } from './pool.ts'

/** Which accounts each filter lets through. */
const filters = {
  all: () => true,
  routable: isRoutable,
  blocked: (account: PoolAccount) => !isRoutable(account),
  reclaim: expiresSoon,
  disabled: isDisabled,
  stale: isStale,
}
export type FilterId = keyof typeof filters
export const filterIds = Object.keys(filters) as readonly FilterId[]
/** How many accounts each filter lets through. */
export const filterCounts = computed(
  () =>
    Object.fromEntries(
      filterIds.map((id) => [id, accounts.value.filter(filters[id]).length]),
    ) as Readonly<Record<FilterId, number>>,
)

export type ColumnId =
  | 'rank'
  | 'account'
  | 'plan'
  | 'status'
  | 'score'
  | 'fiveHour'
  | 'week'
  | 'load'
  | 'sample'

/** What a column sorts by; numbers upwards, texts by the alphabet. */
const sortKeys: Readonly<
  Record<ColumnId, (account: PoolAccount, rank: number) => number | string>
> = {
  rank: (_, rank) => rank,
  account: ({ title }) => title.toLowerCase(),
  plan: ({ badge }) => badge,
  status: ({ status: { text } }) => text,
  score: ({ score }) => score,
  fiveHour: (account) => windowOf(account, '5h').percent ?? -1,
  week: (account) => windowOf(account, 'week').percent ?? -1,
  load: ({ usage }) => usage?.tokens ?? -1,
  sample: ({ lastSample }) => lastSample?.ageSeconds ?? Number.MAX_SAFE_INTEGER,
}

export const columnIds = Object.keys(sortKeys) as readonly ColumnId[]

/** In which order the accounts are listed. */
export interface Sorting {
  readonly column: ColumnId
  readonly isDescending: boolean
}

/** By rank, the best first. */
export const FIRST_SORTING: Sorting = { column: 'rank', isDescending: false }

export const query = signal('')
export const filter = signal<FilterId>('all')
export const sorting = signal(FIRST_SORTING)

export interface Row {
  readonly account: PoolAccount
  /** Null for an account that must not be used. */
  readonly rank: number | null
}

/** What is found, in the order that is asked for. */
export const found = computed<readonly Row[]>(() => {
  const needle = query.value.trim().toLowerCase()
  const { column, isDescending } = sorting.value
  const rows = accounts.value.flatMap(
    (account, index): readonly (Row & { readonly key: number | string })[] => {
      if (!filters[filter.value](account)) return []
      if (needle !== '' && !textOf(account).includes(needle)) return []
      return [
        {
          account,
          rank: isRoutable(account) ? index + 1 : null,
          key: sortKeys[column](account, index),
        },
      ]
    },
  )
  if (column === 'rank' && !isDescending) return rows
  const direction = isDescending ? -1 : 1
  return rows.sort((a, b) => (a.key < b.key ? -direction : a.key > b.key ? direction : 0))
})

/** What is searched; in private also the name that is shown instead. */
function textOf({ title, badge, status: { text }, selector }: PoolAccount): string {
  const shown = privacy.value ? hideNames(title) : ''
  return `${title} ${shown} ${badge} ${text} ${selector.authName}`.toLowerCase()
}
