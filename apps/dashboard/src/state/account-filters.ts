import { batch, signal } from '@preact/signals'

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
export const BY_RANK: Sorting = { column: 'rank', isDescending: false }
export const sorting = signal<Sorting>(BY_RANK)

/** Sorts by a column in the column's default direction; reverses the direction if the table is already sorted by it. */
export function sortBy(column: ColumnId): void {
  const now = sorting.value
  sorting.value = {
    column,
    isDescending: now.column === column ? !now.isDescending : isDescendingFirst[column],
  }
}

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

/** Address text of a sorting: the column, with a minus if its default direction is reversed. */
export function sortingText({ column, isDescending }: Sorting): string {
  return isDescending === isDescendingFirst[column] ? column : `-${column}`
}

/** Parses the address text of a sorting; undefined if it names no column. */
export function parseSorting(text: string): Sorting | undefined {
  const isTurned = text.startsWith('-')
  const column = columnIds.find((id) => id === (isTurned ? text.slice(1) : text))
  return column && { column, isDescending: isDescendingFirst[column] !== isTurned }
}
