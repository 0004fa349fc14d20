import { computed } from '@preact/signals'
import { isByPlan, sorting } from './account-filters.ts'
import { found, plans, type Row } from './account-search.ts'
import { accountKeyOf } from './pool.ts'

/** A group of consecutive rows in the table, with an optional head. */
export interface Section {
  readonly id: string
  readonly head: 'blocked' | 'plan' | null
  /** Never empty. */
  readonly rows: readonly [Row, ...Row[]]
}

/** Found rows in sections: by plan if chosen, else with the blocked accounts apart while sorted by rank. */
export const sections = computed<readonly Section[]>(() => {
  const rows = found.value
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
function planSections(rows: readonly Row[]): readonly Section[] {
  const byPlan = new Map<string, Row[]>(
    sorting.value.column === 'plan' ? [] : plans.value.map(({ id }) => [id, []]),
  )
  for (const row of rows) {
    const { planKind } = row.account
    const known = byPlan.get(planKind)
    if (known === undefined) byPlan.set(planKind, [row])
    else known.push(row)
  }
  return [...byPlan].flatMap(([id, ofPlan]) => section(id, 'plan', ofPlan))
}

function section(id: string, head: Section['head'], rows: readonly Row[]): readonly Section[] {
  const [first, ...others] = rows
  return first === undefined ? [] : [{ id, head, rows: [first, ...others] }]
}
