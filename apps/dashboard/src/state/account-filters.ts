import { batch, type Signal, signal } from '@preact/signals'

/** Filters, order and grouping of the accounts table. All of them are in the address, so they are known before the table is drawn. */

export const filterIds = [
  'all',
  'routable',
  'blocked',
  'reclaim',
  'disabled',
  'stale',
  'needs',
] as const
export type FilterId = (typeof filterIds)[number]

/** States of a subscription: `soon` ends within a week, `unknown` includes one that continues past the end in its login. */
export const paidIds = ['soon', 'ended', 'running', 'unknown'] as const
export type PaidId = (typeof paidIds)[number]

/** Sortable columns, and whether the first press sorts descending. The next press reverses the order. */
const isDescendingFirst = {
  rank: false,
  account: false,
  upstream: false,
  plan: false,
  paidUntil: false,
  bankedReset: false,
  status: false,
  score: true,
  fiveHour: true,
  fiveHourReset: false,
  week: true,
  weekReset: false,
  month: true,
  monthReset: false,
  load: true,
  sample: true,
} as const
export type ColumnId = keyof typeof isDescendingFirst
const columnIds = Object.keys(isDescendingFirst) as readonly ColumnId[]

export const query = signal('')
export const filter = signal<FilterId>('all')
/** Code of the plan to show; null for all plans. */
export const planFilter = signal<string | null>(null)
/** Sign or tone of the accounts to show; null for all accounts. */
export const mark = signal<string | null>(null)
/** Slug of the shown blocking reason; null for all accounts. */
export const blockedBy = signal<string | null>(null)
/** Subscription state of the accounts to show; null for all accounts. */
export const paid = signal<PaidId | null>(null)
/** Whether accounts are grouped by plan, with sums for each plan. */
export const isByPlan = signal(false)
interface Sorting {
  readonly column: ColumnId
  readonly isDescending: boolean
}
const BY_RANK: Sorting = { column: 'rank', isDescending: false }
export const sorting = signal<Sorting>(BY_RANK)

/** Sorts by a column in the column's default direction; reverses the direction if the table is already sorted by it. */
export function sortBy(column: ColumnId): void {
  const now = sorting.value
  sorting.value = {
    column,
    isDescending: now.column === column ? !now.isDescending : isDescendingFirst[column],
  }
}

interface SearchParameter {
  readonly name: string
  readonly read: () => string | null
  readonly write: (text: string | null) => void
}

const code = (name: string, value: Signal<string | null>): SearchParameter => ({
  name,
  read: () => value.value,
  write: (text) => {
    value.value = text
  },
})

/** Address parameters of the table. `read` returns null for a default, which the address omits. */
export const searchParameters: readonly SearchParameter[] = [
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
  code('plan', planFilter),
  code('status', mark),
  code('by', blockedBy),
  {
    name: 'paid',
    read: () => paid.value,
    write: (text) => {
      paid.value = paidIds.find((id) => id === text) ?? null
    },
  },
  {
    name: 's',
    read: () => sortingText(sorting.value),
    write: (text) => {
      sorting.value = parseSorting(text)
    },
  },
  {
    name: 'group',
    read: () => (isByPlan.value ? 'plan' : null),
    write: (text) => {
      isByPlan.value = text === 'plan'
    },
  },
]

/** Removes all filters and the search; order and grouping stay. */
export function clearFilters(): void {
  batch(() => {
    query.value = ''
    showAll()
  })
}

/** Removes all filters; the search, the order and the grouping stay. */
export function showAll(): void {
  batch(() => {
    filter.value = 'all'
    for (const value of [planFilter, mark, blockedBy, paid]) value.value = null
  })
}

/** Address text of a sorting: the column, with a minus if its default direction is reversed; null for the default sorting. */
function sortingText({ column, isDescending }: Sorting): string | null {
  const isFirst = isDescending === isDescendingFirst[column]
  if (column === BY_RANK.column && isFirst) return null
  return isFirst ? column : `-${column}`
}

function parseSorting(text: string | null): Sorting {
  const isTurned = text?.startsWith('-') === true
  const column = columnIds.find((id) => id === (isTurned ? text?.slice(1) : text))
  if (column === undefined) return BY_RANK
  return { column, isDescending: isDescendingFirst[column] !== isTurned }
}
