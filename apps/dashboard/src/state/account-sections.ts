import { computed } from '@preact/signals'
import { DEFAULT_MULTIPLIER, spendablePercentsOf } from '@svc/core/account'
import { leftUnitsOf } from '@svc/core/pool'
import { groupedBy, isMainWindowId } from '@svc/core/service'
import { isByPlan, sorting } from './account-filters.ts'
import { type AccountListRow, found, plans } from './account-search.ts'
import { type PoolAccount, status } from './live-data.ts'
import { accountKeyOf, isRoutable, rankingItem, rowKeyOf } from './pool.ts'
import { findPool, isOfAll, pools, providerOf, type ShownPool } from './providers.ts'
import { resetGroups } from './reset-groups.ts'

/** A group of consecutive rows in the table, with an optional head. */
export interface Section {
  readonly id: string
  readonly head: 'blocked' | 'plan' | 'provider' | null
  /** Rows of the section; never empty. */
  readonly rows: readonly [AccountListRow, ...AccountListRow[]]
}

/** Found rows in sections: by provider if several are shown, by plan if chosen, else with the blocked accounts apart while sorted by rank. */
export const sections = computed<readonly Section[]>(() => {
  const rows = found.value
  if (isOfAll.value)
    return pools.value.flatMap(({ provider }) => {
      const own = rows.filter(({ account }) => providerOf(account) === provider)
      return isByPlan.value ? planSections(own, provider) : section(provider, 'provider', own)
    })
  if (isByPlan.value) return planSections(rows)
  const { column, isDescending } = sorting.value
  const isRanked = column === 'rank' && !isDescending
  return [
    ...section('all', null, isRanked ? rows.filter(({ rank }) => rank !== null) : rows),
    ...section('blocked', 'blocked', isRanked ? rows.filter(({ rank }) => rank === null) : []),
  ]
})

/** The rows of all sections in order. */
export const shownRows = computed<readonly AccountListRow[]>(() =>
  sections.value.flatMap(({ rows }) => rows),
)

/** Keys of the rows of all sections in order. */
export const shownKeys = computed(() => shownRows.value.map(({ account }) => accountKeyOf(account)))

/** Sections by plan. The plan with the most accounts in the pool comes first, unless the table is sorted by plan. */
function planSections(rows: readonly AccountListRow[], provider = ''): readonly Section[] {
  const byPlan = groupedBy(rows, ({ account }) => account.planKind)
  const largestFirst = sorting.value.column === 'plan' ? [] : plans.value.map(({ id }) => id)
  return [...new Set([...largestFirst, ...byPlan.keys()])].flatMap((id) =>
    section(provider === '' ? id : `${provider} ${id}`, 'plan', byPlan.get(id)),
  )
}

function section(
  id: string,
  head: Section['head'],
  rows: readonly AccountListRow[] = [],
): readonly Section[] {
  const [first, ...others] = rows
  return first === undefined ? [] : [{ id, head, rows: [first, ...others] }]
}

/** Units of some accounts in one window. */
export interface WindowSum {
  readonly id: string
  readonly usable: number
  /** Units on blocked accounts. */
  readonly held: number
  /** Units of accounts whose window has not been read; part of neither. */
  readonly unknown: number
  /** Next minute in which units return, with their number; null if unknown. */
  readonly next: { readonly atMs: number; readonly units: number } | null
}

export interface AccountSums {
  readonly accounts: number
  readonly routable: number
  /** Units of all windows when full; a second file of an account adds nothing. */
  readonly tracked: number
  /** Unit of these sums; `mixed` if the accounts have different units, which cannot be added. */
  readonly unit: ShownPool['unit']
  /** Tokens of the last 24 h; null if unknown for all accounts. */
  readonly tokens: number | null
  /** One sum per counted window, in the pool's order; empty if the plans have no sizes or different units. */
  readonly windows: readonly WindowSum[]
}

export function sumAccounts(some: readonly PoolAccount[]): AccountSums {
  const keys = new Set(some.map(accountKeyOf))
  const used = some.flatMap(({ usage }) => usage?.tokens ?? [])
  const tokens = used.length === 0 ? null : used.reduce((sum, one) => sum + one, 0)
  const unit = commonUnit(some)
  // Only a Plus week is known to be worth so many percent of 5h.
  const cap = unit === 'plus' ? multiplier.value : 'off'
  const parts = some.map((account) => ({
    blockedReasons: account.blockedReasons,
    isRoutable: isRoutable(account),
    capacityWeight: countedWeight(account),
    spendable: spendablePercentsOf(account.windows, cap),
  }))
  const routable = some.filter(isRoutable).length
  const tracked = parts.reduce((sum, { capacityWeight }) => sum + capacityWeight, 0)
  const hasSizes = unit === 'plus' || unit === 'pro'
  const counted = hasSizes ? (status.value?.tabs.pool.windows ?? []) : []
  const windows = counted.flatMap(({ id }) =>
    isMainWindowId(id) ? [windowSum(id, parts, keys)] : [],
  )
  return { accounts: some.length, routable, tracked, unit, tokens, windows }
}

function commonUnit(some: readonly PoolAccount[]): ShownPool['unit'] {
  const [provider, ...others] = new Set(some.map(providerOf))
  if (provider === undefined || others.length > 0) return 'mixed'
  return findPool(provider)?.unit ?? 'plus'
}

export const foundSums = computed(() => sumAccounts(found.value.map(({ account }) => account)))

interface SumPart extends Pick<PoolAccount, 'blockedReasons'> {
  readonly capacityWeight: number
  readonly isRoutable: boolean
  readonly spendable: ReturnType<typeof spendablePercentsOf>
}

function windowSum(
  id: keyof SumPart['spendable'],
  parts: readonly SumPart[],
  keys: ReadonlySet<string>,
): WindowSum {
  let [usable, held, unknown] = [0, 0, 0]
  for (const part of parts) {
    const units = leftUnitsOf(part, part.spendable[id])
    if (units === null) unknown += part.capacityWeight
    else if (part.isRoutable) usable += units
    else held += units
  }
  return { id, usable, held, unknown, next: nextReturn(id, keys) }
}

const multiplier = computed(() => {
  const { weeklyToFiveHour = DEFAULT_MULTIPLIER } = status.value?.tabs.pool ?? {}
  return weeklyToFiveHour ?? 'off'
})

function countedWeight(account: PoolAccount): number {
  return account.counted === false ? 0 : (rankingItem(account)?.capacityWeight ?? 0)
}

function nextReturn(id: string, keys: ReadonlySet<string>): WindowSum['next'] {
  for (const { atMs, rows } of resetGroups(id)) {
    const units = rows
      .filter((row) => keys.has(rowKeyOf(row)))
      .reduce((sum, row) => sum + (row.units ?? 0), 0)
    if (units > 0) return { atMs, units }
  }
  return null
}

/** Sums over the found accounts of each plan or provider. */
export const groupSums = computed<ReadonlyMap<string, AccountSums>>(
  () =>
    new Map(
      sections.value
        .filter(({ head }) => head === 'plan' || head === 'provider')
        .map(({ id, rows }) => [id, sumAccounts(rows.map(({ account }) => account))]),
    ),
)
