import { batch, type Signal, signal } from '@preact/signals'

/** What the table of accounts is narrowed to, sorted and grouped by. The address says all of it, so it is known before the table is there. */

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

/** How what is paid for stands: `soon` ends within a week, `unknown` is also one that goes on past its end. */
export const paidIds = ['soon', 'ended', 'running', 'unknown'] as const
export type PaidId = (typeof paidIds)[number]

/** The columns that sort, and whether the first press asks for the most of it; the next press turns it round. */
const isDescendingFirst = {
  rank: false,
  account: false,
  upstream: false,
  plan: false,
  paidUntil: false,
  status: false,
  score: true,
  fiveHour: true,
  fiveHourReset: false,
  week: true,
  weekReset: false,
  load: true,
  sample: true,
} as const
export type ColumnId = keyof typeof isDescendingFirst
const columnIds = Object.keys(isDescendingFirst) as readonly ColumnId[]

export const query = signal('')
export const filter = signal<FilterId>('all')
/** The plan that is shown, by its code; null for all. */
export const plan = signal<string | null>(null)
/** How the accounts that are shown are marked, by the code of their sign or tone; null for all. */
export const mark = signal<string | null>(null)
/** The cause of being blocked, by its slug; null for all accounts. */
export const blockedBy = signal<string | null>(null)
/** How what is paid for stands, by its code; null for all accounts. */
export const paid = signal<PaidId | null>(null)
/** Whether the accounts of a plan stand together, under their sums. */
export const isByPlan = signal(false)
interface Sorting {
  readonly column: ColumnId
  readonly isDescending: boolean
}
const BY_RANK: Sorting = { column: 'rank', isDescending: false }
export const sorting = signal<Sorting>(BY_RANK)

/** Sorts by a column in its own first direction; by the column that sorts already, the other way round. */
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

/** What the address says about the table, by the name of the parameter; null where it says nothing. */
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
  code('plan', plan),
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
      sorting.value = sortingOf(text)
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

/** Lets every account through; the order and the groups stay. */
export function clearFilters(): void {
  batch(() => {
    query.value = ''
    filter.value = 'all'
    for (const value of [plan, mark, blockedBy, paid]) value.value = null
  })
}

/** The column, with a minus before it where that is not its first direction. */
function sortingText({ column, isDescending }: Sorting): string | null {
  const isFirst = isDescending === isDescendingFirst[column]
  if (column === BY_RANK.column && isFirst) return null
  return isFirst ? column : `-${column}`
}

function sortingOf(text: string | null): Sorting {
  const isTurned = text?.startsWith('-') === true
  const column = columnIds.find((id) => id === (isTurned ? text?.slice(1) : text))
  if (column === undefined) return BY_RANK
  return { column, isDescending: isDescendingFirst[column] !== isTurned }
}
