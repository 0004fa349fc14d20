import { computed } from '@preact/signals'
import { accountsWords } from '../words/accounts-words.ts'
import {
  blockedBy,
  type ColumnId,
  type FilterId,
  filter,
  filterIds,
  mark,
  type PaidId,
  paid,
  paidIds,
  plan,
  query,
  sorting,
} from './account-filters.ts'
import { privacy } from './display-state.ts'
import { hideNames } from './hidden-names.ts'
import type { PoolAccount } from './live-data.ts'
import {
  accounts,
  expiresSoon,
  isDisabled,
  isHeldByWeek,
  isInNeed,
  isRoutable,
  isStale,
  itemOf,
  paidUntilMsOf,
  subscriptionStateOf,
  toneOf,
  windowOf,
} from './pool.ts'

/** Which accounts each filter lets through. */
const filters: Readonly<Record<FilterId, (account: PoolAccount) => boolean>> = {
  all: () => true,
  routable: isRoutable,
  blocked: (account: PoolAccount) => !isRoutable(account),
  reclaim: expiresSoon,
  disabled: isDisabled,
  stale: isStale,
  needs: isInNeed,
}
/** How many accounts each filter lets through. */
export const filterCounts = computed(
  () =>
    Object.fromEntries(
      filterIds.map((id) => [id, accounts.value.filter(filters[id]).length]),
    ) as Readonly<Record<FilterId, number>>,
)

/** What a column sorts by. Null is nothing to compare, and comes last in both directions. */
type SortKey = number | string | null

const sortKeys: Readonly<Record<ColumnId, (account: PoolAccount, rank: number) => SortKey>> = {
  rank: (_, rank) => rank,
  account: ({ title }) => title.toLowerCase(),
  upstream: ({ upstream = null }) => upstream,
  plan: ({ badge }) => badge,
  paidUntil: paidUntilMsOf,
  status: ({ status: { text } }) => text,
  score: ({ score }) => score,
  fiveHour: (account) => windowOf(account, '5h').percent,
  fiveHourReset: (account) => returnsInSeconds(account, '5h'),
  week: (account) => windowOf(account, 'week').percent,
  weekReset: (account) => returnsInSeconds(account, 'week'),
  load: ({ usage }) => usage?.tokens ?? null,
  // Never read is the oldest of all.
  sample: ({ lastSample }) => lastSample?.ageSeconds ?? Number.MAX_SAFE_INTEGER,
}

/** When a window comes back; a clock that has not started, or that waits for the week, returns nothing then. */
function returnsInSeconds(account: PoolAccount, id: string): number | null {
  const { resetsInSeconds, notStarted = false } = windowOf(account, id)
  return notStarted || isHeldByWeek(account, id) ? null : resetsInSeconds
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
  const rows = accounts.value.flatMap((account, index): readonly (Row & { key: SortKey })[] => {
    if (!isLetThrough(account)) return []
    if (needle !== '' && !textOf(account).includes(needle)) return []
    const key = sortKeys[column](account, index)
    return [{ account, rank: isRoutable(account) ? index + 1 : null, key }]
  })
  if (column === 'rank' && !isDescending) return rows
  const direction = isDescending ? -1 : 1
  return rows.sort((a, b) => compared(a.key, b.key, direction))
})

const paidByState: Readonly<Record<ReturnType<typeof subscriptionStateOf>, PaidId>> = {
  running: 'running',
  ends_soon: 'soon',
  last_day: 'soon',
  ended: 'ended',
  renewed: 'unknown',
  unknown: 'unknown',
}
const paidOf = (account: PoolAccount): PaidId => paidByState[subscriptionStateOf(account)]

function isLetThrough(account: PoolAccount): boolean {
  return (
    filters[filter.value](account) &&
    (plan.value === null || account.planKind === plan.value) &&
    (mark.value === null || toneOf(account) === mark.value) &&
    (blockedBy.value === null || account.blockedReasons.includes(blockedBy.value)) &&
    (paid.value === null || paidOf(account) === paid.value)
  )
}

function compared(a: SortKey, b: SortKey, direction: 1 | -1): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -direction : direction
}

/** How many filters narrow the table; the search is none of them. */
export const setFilterCount = computed(
  () =>
    Number(filter.value !== 'all') +
    [plan, mark, blockedBy, paid].filter(({ value }) => value !== null).length,
)

/** What there is to choose from, with how many accounts each has, most first. */
export const plans = computed(() =>
  counted(accounts.value.map(({ planKind, badge }) => [planKind, badge])),
)
export const marks = computed(() =>
  counted(
    accounts.value.map((account) => {
      const id = toneOf(account)
      return [id, accountsWords.marks[id] ?? id]
    }),
  ),
)
/** An account that several things block is counted with each of them. */
export const blockedCauses = computed(() =>
  counted(
    accounts.value.flatMap((account) =>
      (itemOf(account)?.blocked ?? []).map(({ slug, text }) => [slug, text] as const),
    ),
  ),
)

/** Nothing to choose from where no login names the end of what is paid for. What is urgent comes first. */
export const paidChoices = computed<readonly Choice<PaidId>[]>(() =>
  accounts.value.some(({ paidUntil }) => paidUntil !== undefined)
    ? paidIds
        .map((id) => {
          const count = accounts.value.filter((account) => paidOf(account) === id).length
          return { id, text: accountsWords.paid[id], count }
        })
        .filter(({ count }) => count > 0)
    : [],
)

/** One of several to choose from. */
export interface Choice<Id extends string = string> {
  readonly id: Id
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
function textOf({ title, upstream = '', badge, status: { text }, selector }: PoolAccount): string {
  const shown = privacy.value ? hideNames(title) : ''
  return `${title} ${shown} ${upstream} ${badge} ${text} ${selector.authName}`.toLowerCase()
}
