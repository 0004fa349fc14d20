import { computed, type Signal } from '@preact/signals'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
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
  planFilter,
  query,
  sorting,
} from './account-filters.ts'
import { health, type PoolAccount, shownProvider, shownUpstream } from './live-data.ts'
import {
  accountTone,
  expiresSoon,
  hasStaleWindow,
  isDisabled,
  isHeldByWeek,
  isInNeed,
  isRoutable,
  rankInProvider,
  rankingItem,
  shownAccounts,
  subscriptionEndMs,
  subscriptionState,
} from './pool.ts'
import { placeText, rowWords } from './row-words.ts'
import { dropWithSwitch } from './switched-filters.ts'
import { type WindowColumn, windowColumns, windowIn } from './window-columns.ts'

const filters: Readonly<Record<FilterId, (account: PoolAccount) => boolean>> = {
  all: () => true,
  routable: isRoutable,
  blocked: (account: PoolAccount) => !isRoutable(account),
  reclaim: expiresSoon,
  disabled: isDisabled,
  stale: hasStaleWindow,
  needs: isInNeed,
}
/** Number of accounts that each filter lets through; null for those in need before health is known. */
export const filterCounts = computed(
  () =>
    Object.fromEntries(
      filterIds.map((id) => [
        id,
        id === 'needs' && health.value === null
          ? null
          : shownAccounts.value.filter(filters[id]).length,
      ]),
    ) as Readonly<Record<FilterId, number | null>>,
)

/** Value that a column is sorted by. Null comes last in both directions. */
type SortKey = number | string | null

const sortKeys: Readonly<Record<ColumnId, (account: PoolAccount, rank: number) => SortKey>> = {
  rank: (_, rank) => rank,
  account: ({ title }) => title.toLowerCase(),
  upstream: placeText,
  plan: ({ badge }) => badge,
  paidUntil: subscriptionEndMs,
  bankedReset: ({ bankedResets }) => parsedMs(bankedResets?.expiresAt[0]),
  status: ({ status: { text } }) => text,
  score: ({ score }) => score,
  fiveHour: (account) => shownIn(account, 'fiveHour')?.percent ?? null,
  fiveHourReset: (account) => returnsInSeconds(account, 'fiveHour'),
  week: (account) => shownIn(account, 'week')?.percent ?? null,
  weekReset: (account) => returnsInSeconds(account, 'week'),
  month: (account) => shownIn(account, 'month')?.percent ?? null,
  monthReset: (account) => returnsInSeconds(account, 'month'),
  load: ({ usage }) => usage?.tokens ?? null,
  // An account without a reading counts as the oldest.
  sample: ({ lastSample }) => lastSample?.ageSeconds ?? Number.MAX_SAFE_INTEGER,
}

const parsedMs = (instant: string | undefined) =>
  instant === undefined ? null : Date.parse(instant)

/** The account's window in a column; undefined if the column is not shown. */
function shownIn(account: PoolAccount, id: WindowColumn['id']) {
  const column = windowColumns.value.find((each) => each.id === id)
  return column === undefined ? undefined : windowIn(account, column)
}

/** Seconds to the reset of the window in a column; null if no request has started its clock, or if it waits for the week. */
function returnsInSeconds(account: PoolAccount, column: WindowColumn['id']): number | null {
  const window = shownIn(account, column)
  if (window === undefined || window.notStarted === true) return null
  return isHeldByWeek(account, window.id) ? null : window.resetsInSeconds
}

export interface AccountListRow {
  readonly account: PoolAccount
  /** Rank among the accounts of its provider; null for an account that must not be used. */
  readonly rank: number | null
}

/** Rows that pass the filters and the search, in the chosen order. */
export const found = computed<readonly AccountListRow[]>(() => {
  const needle = query.value.trim().toLowerCase()
  const { column, isDescending } = sorting.value
  const rows = shownAccounts.value.flatMap(
    (account, index): readonly (AccountListRow & { key: SortKey })[] => {
      if (!isLetThrough(account)) return []
      if (needle !== '' && !wordsOfRow.value.get(account)?.includes(needle)) return []
      const key = sortKeys[column](account, index)
      return [{ account, rank: rankInProvider(account), key }]
    },
  )
  if (column === 'rank' && !isDescending) return rows
  const direction = isDescending ? -1 : 1
  return rows.sort((a, b) => compare(a.key, b.key, direction))
})

const paidByState: Readonly<Record<ReturnType<typeof subscriptionState>, PaidId>> = {
  running: 'running',
  ends_soon: 'soon',
  last_day: 'soon',
  ended: 'ended',
  renewed: 'unknown',
  unknown: 'unknown',
}
const paidState = (account: PoolAccount): PaidId => paidByState[subscriptionState(account)]

function isLetThrough(account: PoolAccount): boolean {
  return (
    filters[filter.value](account) &&
    (planFilter.value === null || account.planKind === planFilter.value) &&
    (mark.value === null || accountTone(account) === mark.value) &&
    (blockedBy.value === null || account.blockedReasons.includes(blockedBy.value)) &&
    (paid.value === null || paidState(account) === paid.value)
  )
}

function compare(a: SortKey, b: SortKey, direction: 1 | -1): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -direction : direction
}

/** Number of active filters, without the search. */
export const setFilterCount = computed(
  () =>
    Number(filter.value !== 'all') +
    [planFilter, mark, blockedBy, paid].filter(({ value }) => value !== null).length,
)

/** Plans to choose from, with their number of accounts, largest first. */
export const plans = computed(() =>
  sortChoices(shownAccounts.value.map(({ planKind, badge }) => [planKind, badge])),
)
export const marks = computed(() =>
  sortChoices(
    shownAccounts.value.map((account) => {
      const id = accountTone(account)
      return [id, accountsWords.marks[id] ?? id]
    }),
  ),
)
/** Blocking reasons to choose from. An account with several reasons counts for each of them. */
export const blockedCauses = computed(() =>
  sortChoices(
    shownAccounts.value.flatMap((account) =>
      (rankingItem(account)?.blocked ?? []).map(({ slug, text }) => [slug, text] as const),
    ),
  ),
)

/** Subscription states to choose from, most urgent first; empty if no login names the end of a subscription. */
export const paidChoices = computed<readonly Choice<PaidId>[]>(() =>
  shownAccounts.value.some(({ paidUntil }) => paidUntil !== undefined)
    ? paidIds
        .map((id) => {
          const count = shownAccounts.value.filter((account) => paidState(account) === id).length
          return { id, text: accountsWords.paid[id], count }
        })
        .filter(({ count }) => count > 0)
    : [],
)

/** A choice, with its number of accounts. */
export interface Choice<Id extends string = string> {
  readonly id: Id
  readonly text: string
  readonly count: number
}

/** Choices with their counts by code. The text of a code with several texts, such as refused and expired logins, lists all of them. */
function sortChoices(pairs: readonly (readonly [id: string, text: string])[]): readonly Choice[] {
  const choices = new Map<string, { readonly texts: Set<string>; count: number }>()
  for (const [id, text] of pairs) {
    const choice = choices.get(id) ?? { texts: new Set(), count: 0 }
    choice.texts.add(text)
    choice.count += 1
    choices.set(id, choice)
  }
  return [...choices]
    .map(([id, { texts, count }]) => ({ id, text: strings.listOf([...texts]), count }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
}

const filterChoices: readonly (readonly [Signal<string | null>, () => readonly Choice[]])[] = [
  [planFilter, () => plans.value],
  [mark, () => marks.value],
  [blockedBy, () => blockedCauses.value],
  [paid, () => paidChoices.value],
]
for (const [chosen, choices] of filterChoices)
  dropWithSwitch({
    part: () => `${shownUpstream.value} ${shownProvider.value}`,
    chosen: () => [chosen.value ?? []].flat(),
    has: (value) => choices().some(({ id }) => id === value),
    keep: () => {
      chosen.value = null
    },
  })

const wordsOfRow = computed(
  () => new Map(shownAccounts.value.map((account) => [account, rowWords(account).toLowerCase()])),
)
