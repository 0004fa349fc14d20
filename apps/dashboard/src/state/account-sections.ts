import { computed } from '@preact/signals'
import { isByPlan, sorting } from './account-filters.ts'
import { found, plans, type Row } from './account-search.ts'
import { accountKeyOf } from './pool.ts'
import { isOfAll, pools, providerOf } from './providers.ts'

/** A group of consecutive rows in the table, with an optional head. */
export interface Section {
  readonly id: string
  readonly head: 'blocked' | 'plan' | 'provider' | null
  /** Never empty. */
  readonly rows: readonly [Row, ...Row[]]
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
export const shownRows = computed<readonly Row[]>(() => sections.value.flatMap(({ rows }) => rows))

/** Keys of the rows of all sections in order. */
export const shownKeys = computed(() => shownRows.value.map(({ account }) => accountKeyOf(account)))

/** Sections by plan. The plan with the most accounts in the pool comes first, unless the table is sorted by plan. */
function planSections(rows: readonly Row[], provider = ''): readonly Section[] {
  const byPlan = new Map<string, Row[]>(
    sorting.value.column === 'plan' ? [] : plans.value.map(({ id }) => [id, []]),
  )
  for (const row of rows) {
    const { planKind } = row.account
    const known = byPlan.get(planKind)
    if (known === undefined) byPlan.set(planKind, [row])
    else known.push(row)
  }
  return [...byPlan].flatMap(([id, ofPlan]) =>
    section(provider === '' ? id : `${provider} ${id}`, 'plan', ofPlan),
  )
}

function section(id: string, head: Section['head'], rows: readonly Row[]): readonly Section[] {
  const [first, ...others] = rows
  return first === undefined ? [] : [{ id, head, rows: [first, ...others] }]
}
