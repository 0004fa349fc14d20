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
type FilterId = keyof typeof filters
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

const columnIds = Object.keys(sortKeys) as readonly ColumnId[]

/** In which order the accounts are listed. */
interface Sorting {
  readonly column: ColumnId
  readonly isDescending: boolean
}

const BY_RANK: Sorting = { column: 'rank', isDescending: false }

export const query = signal('')
export const filter = signal<FilterId>('all')
export const sorting = signal(BY_RANK)

/** What an address says about the table, by the name of the parameter; null where it says nothing. */
export const searchParameters: readonly {
  readonly name: string
  readonly read: () => string | null
  readonly write: (text: string | null) => void
}[] = [
  {
    name: 'q',
    read: () => (query.value === '' ? null : query.value),
    write: (text) => {
      query.value = text ?? ''
    },
  },
  {
    name: 'f',
    read: () => (filter.value === 'all' ? null : filter.value),
    write: (text) => {
      filter.value = filterIds.find((id) => id === text) ?? 'all'
    },
  },
  {
    name: 's',
    read: () => sortingText(sorting.value),
    write: (text) => {
      sorting.value = sortingOf(text)
    },
  },
]

/** `week` upwards, `-week` downwards. */
function sortingText({ column, isDescending }: Sorting): string | null {
  if (isDescending) return `-${column}`
  return column === BY_RANK.column ? null : column
}

function sortingOf(text: string | null): Sorting {
  const isDescending = text?.startsWith('-') === true
  const column = columnIds.find((id) => id === (isDescending ? text?.slice(1) : text))
  return column === undefined ? BY_RANK : { column, isDescending }
}

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
