import { batch, computed, signal } from '@preact/signals'
import { privacy } from './display-state.ts'
import { hideNames } from './hidden-names.ts'
import { health, type PoolAccount } from './live-data.ts'
import {
  accounts,
  expiresSoon,
  isDisabled,
  isHeldByWeek,
  isRoutable,
  isStale,
  itemOf,
  windowOf,
} from './pool.ts'

/** Which accounts each filter lets through. */
const filters = {
  all: () => true,
  routable: isRoutable,
  blocked: (account: PoolAccount) => !isRoutable(account),
  reclaim: expiresSoon,
  disabled: isDisabled,
  stale: isStale,
  needs: ({ selector }: PoolAccount) => accountsInNeed.value.has(selector.accountKey),
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

/** What an account asks of the operator, as Health lists it. */
const accountsInNeed = computed(
  () => new Set(health.value?.actions.flatMap(({ accountKeys = [] }) => accountKeys)),
)

/** What a column sorts by. Null is nothing to compare, and comes last in both directions. */
type SortKey = number | string | null

interface Column {
  readonly keyOf: (account: PoolAccount, rank: number) => SortKey
  /** What the first press asks for; the next turns it round. */
  readonly isDescendingFirst: boolean
}

const columns = {
  rank: { keyOf: (_, rank) => rank, isDescendingFirst: false },
  account: { keyOf: ({ title }) => title.toLowerCase(), isDescendingFirst: false },
  plan: { keyOf: ({ badge }) => badge, isDescendingFirst: false },
  status: { keyOf: ({ status: { text } }) => text, isDescendingFirst: false },
  score: { keyOf: ({ score }) => score, isDescendingFirst: true },
  fiveHour: { keyOf: (account) => windowOf(account, '5h').percent, isDescendingFirst: true },
  fiveHourReset: { keyOf: (account) => returnsInSeconds(account, '5h'), isDescendingFirst: false },
  week: { keyOf: (account) => windowOf(account, 'week').percent, isDescendingFirst: true },
  weekReset: { keyOf: (account) => returnsInSeconds(account, 'week'), isDescendingFirst: false },
  load: { keyOf: ({ usage }) => usage?.tokens ?? null, isDescendingFirst: true },
  // Never read is the oldest of all.
  sample: {
    keyOf: ({ lastSample }) => lastSample?.ageSeconds ?? Number.MAX_SAFE_INTEGER,
    isDescendingFirst: true,
  },
} as const satisfies Readonly<Record<string, Column>>

export type ColumnId = keyof typeof columns

/** When a window comes back; a clock that has not started, or that waits for the week, returns nothing then. */
function returnsInSeconds(account: PoolAccount, id: string): number | null {
  const { resetsInSeconds, notStarted = false } = windowOf(account, id)
  return notStarted || isHeldByWeek(account, id) ? null : resetsInSeconds
}

export const query = signal('')
export const filter = signal<FilterId>('all')
/** The plan that is shown, by its code; null for all. */
export const plan = signal<string | null>(null)
/** The cause of being blocked, by its slug; null for all accounts. */
export const blockedBy = signal<string | null>(null)
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
    isDescending: now.column === column ? !now.isDescending : columns[column].isDescendingFirst,
  }
}

/** What the address says about the table, by the name of the parameter; null where it says nothing. */
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
    name: 'plan',
    read: () => plan.value,
    write: (text) => {
      plan.value = text
    },
  },
  {
    name: 'by',
    read: () => blockedBy.value,
    write: (text) => {
      blockedBy.value = text
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

/** Lets every account through; the order stays. */
export function clearFilters(): void {
  batch(() => {
    query.value = ''
    filter.value = 'all'
    plan.value = null
    blockedBy.value = null
  })
}

/** The column, with a minus before it where that is not its first direction. */
function sortingText({ column, isDescending }: Sorting): string | null {
  const isFirst = isDescending === columns[column].isDescendingFirst
  if (column === BY_RANK.column && isFirst) return null
  return isFirst ? column : `-${column}`
}

function sortingOf(text: string | null): Sorting {
  const isTurned = text?.startsWith('-') === true
  const column = columnIds.find((id) => id === (isTurned ? text?.slice(1) : text))
  if (column === undefined) return BY_RANK
  return { column, isDescending: columns[column].isDescendingFirst !== isTurned }
}

const columnIds = Object.keys(columns) as readonly ColumnId[]

export interface Row {
  readonly account: PoolAccount
  /** Null for an account that must not be used. */
  readonly rank: number | null
}

/** What is found, in the order that is asked for. */
export const found = computed<readonly Row[]>(() => {
  const needle = query.value.trim().toLowerCase()
  const { column, isDescending } = sorting.value
  const rows = accounts.value.flatMap((account, index): readonly (Row & { key: SortKey })[] => {
    if (!isLetThrough(account)) return []
    if (needle !== '' && !textOf(account).includes(needle)) return []
    const key = columns[column].keyOf(account, index)
    return [{ account, rank: isRoutable(account) ? index + 1 : null, key }]
  })
  if (column === 'rank' && !isDescending) return rows
  const direction = isDescending ? -1 : 1
  return rows.sort((a, b) => compared(a.key, b.key, direction))
})

/** What the accounts that are found add up to; a second file of an account adds nothing. */
export const foundSums = computed(() => {
  let [routable, plusUnits, tokens] = [0, 0, 0]
  for (const { account, rank } of found.value) {
    if (rank !== null) routable += 1
    tokens += account.usage?.tokens ?? 0
    if (account.counted !== false) plusUnits += itemOf(account)?.capacityWeight ?? 0
  }
  return { accounts: found.value.length, routable, plusUnits, tokens }
})

function isLetThrough(account: PoolAccount): boolean {
  return (
    filters[filter.value](account) &&
    (plan.value === null || account.planKind === plan.value) &&
    (blockedBy.value === null || account.blockedReasons[0] === blockedBy.value)
  )
}

function compared(a: SortKey, b: SortKey, direction: 1 | -1): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -direction : direction
}

/** What there is to choose from, with how many accounts each has, most first. */
export const plans = computed(() =>
  counted(accounts.value.map(({ planKind, badge }) => [planKind, badge])),
)
export const blockedCauses = computed(() =>
  counted(
    accounts.value.flatMap((account) => {
      const [slug] = account.blockedReasons
      const text = itemOf(account)?.blocked?.[0]?.text
      return slug === undefined ? [] : [[slug, text ?? slug]]
    }),
  ),
)

interface Choice {
  readonly id: string
  readonly text: string
  readonly count: number
}

function counted(pairs: readonly (readonly [id: string, text: string])[]): readonly Choice[] {
  const choices = new Map<string, Choice>()
  for (const [id, text] of pairs)
    choices.set(id, { id, text, count: (choices.get(id)?.count ?? 0) + 1 })
  return [...choices.values()].sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
}

/** What is searched; in private also the name that is shown instead. */
function textOf({ title, badge, status: { text }, selector }: PoolAccount): string {
  const shown = privacy.value ? hideNames(title) : ''
  return `${title} ${shown} ${badge} ${text} ${selector.authName}`.toLowerCase()
}
