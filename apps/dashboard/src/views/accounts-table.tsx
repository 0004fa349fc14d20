import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { useVisibleRows } from '../parts/visible-rows.ts'
import { type ColumnId, clearFilters, sortBy, sorting } from '../state/account-filters.ts'
import { found } from '../state/account-search.ts'
import type { PoolAccount } from '../state/live-data.ts'
import { accountKeyOf, accounts } from '../state/pool.ts'
import { strings } from '../words/strings.ts'
import { AccountRow } from './account-row.tsx'

const columns: readonly {
  readonly id: ColumnId
  readonly className: string
  /** Sorts by when the window comes back. */
  readonly reset?: ColumnId
}[] = [
  { id: 'rank', className: 'rank' },
  { id: 'account', className: 'who' },
  { id: 'plan', className: 'plan' },
  { id: 'status', className: 'state' },
  { id: 'score', className: 'points' },
  { id: 'fiveHour', className: 'five', reset: 'fiveHourReset' },
  { id: 'week', className: 'week', reset: 'weekReset' },
  { id: 'load', className: 'load' },
  { id: 'sample', className: 'sample' },
]

/** What is found, a row for each account; the blocked ones under a head of their own. */
export function AccountTable({ selected }: { readonly selected: PoolAccount | null }) {
  const body = useRef<HTMLTableSectionElement>(null)
  const rows = found.value
  const isGrouped = sorting.value.column === 'rank' && !sorting.value.isDescending
  const firstBlocked = isGrouped ? rows.findIndex(({ rank }) => rank === null) : -1
  const range = useVisibleRows(body, rows.length)
  useLayoutEffect(() => range.measure())
  const selectedKey = selected === null ? null : accountKeyOf(selected)
  const rendered = rows.slice(range.first, range.end)

  if (rows.length === 0 && accounts.value.length > 0) {
    return (
      <p class="empty">
        {strings.noMatch}{' '}
        <button type="button" class="button" onClick={clearFilters}>
          {strings.clearFilters}
        </button>
      </p>
    )
  }
  return (
    // Its rows become grids on a phone, which would take their roles away.
    <table class="accounts" role="table" aria-rowcount={rows.length + 1}>
      <caption class="sr">{strings.accountsCaption}</caption>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <Head key={column.id} {...column} />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" ref={body}>
        <Spacer height={range.before} />
        {rendered.flatMap((row, index) => {
          const place = range.first + index
          const key = accountKeyOf(row.account)
          const line = (
            <AccountRow key={key} row={row} index={place + 2} isSelected={key === selectedKey} />
          )
          return place === firstBlocked ? [<BlockedHead key="blocked" />, line] : [line]
        })}
        <Spacer height={range.after} />
      </tbody>
    </table>
  )
}

/** Scrolls to the first account that is blocked, whether its row is drawn or not. */
export function showBlocked(): void {
  const body = document.querySelector('.accounts tbody')
  const row = body?.querySelector<HTMLElement>('tr:not(.spacer, .group)')
  const index = found.value.findIndex(({ rank }) => rank === null)
  if (body == null || row == null || index < 0) return
  const heads = (document.querySelector('.accounts thead')?.getBoundingClientRect().bottom ?? 0) + 8
  const { top } = body.getBoundingClientRect()
  scrollTo(0, scrollY + top + index * row.offsetHeight - Math.min(heads, innerHeight / 2))
}

/** Stands for rows that are out of sight. */
function Spacer({ height }: { readonly height: number }) {
  const cell = useRef<HTMLTableCellElement>(null)
  useLayoutEffect(() => {
    if (cell.current !== null) cell.current.style.height = `${height}px`
  }, [height])
  if (height === 0) return null
  return (
    <tr class="spacer" role="row">
      <td role="cell" ref={cell} />
    </tr>
  )
}

function Head({
  id,
  className,
  reset,
}: {
  readonly id: ColumnId
  readonly className: string
  readonly reset?: ColumnId
}) {
  const { column, isDescending } = sorting.value
  const isSorted = column === id || column === reset
  return (
    <th
      role="columnheader"
      scope="col"
      class={className}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <HeadButton
        id={id}
        text={strings.columns[id]}
        name={id === 'rank' ? strings.rankName : null}
      />
      {reset !== undefined && (
        <HeadButton
          id={reset}
          text={strings.columns.resetsIn}
          name={strings.columns[reset]}
          isReset
        />
      )}
    </th>
  )
}

function HeadButton({
  id,
  text,
  name,
  isReset = false,
}: {
  readonly id: ColumnId
  readonly text: string
  /** What it is called where the text alone does not say it. */
  readonly name: string | null
  readonly isReset?: boolean
}) {
  const { column, isDescending } = sorting.value
  const isSorted = column === id
  return (
    <button
      type="button"
      class={`${isReset ? 'resets-in' : ''}${isSorted ? ' sorted' : ''}`}
      title={name ?? undefined}
      aria-label={name ?? undefined}
      onClick={() => sortBy(id)}
    >
      {text}
      {isSorted && <Icon name={isDescending ? 'down' : 'up'} />}
    </button>
  )
}

type Cause = keyof typeof strings.blockedCauses

/** How many are blocked and by what, each account by its first reason. */
function BlockedHead() {
  const blocked = found.value.filter(({ rank }) => rank === null)
  const counts = new Map<Cause, number>()
  for (const { account } of blocked) {
    const cause = causeOf(account)
    counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  const order: readonly Cause[] = ['reset', 'cool', 'you', 'unavailable', 'disabled']
  const causes = order.flatMap((cause) => {
    const count = counts.get(cause)
    return count === undefined ? [] : [strings.blockedCauses[cause](count)]
  })
  return (
    <tr role="row" class="group">
      <th role="rowheader" scope="rowgroup" aria-colspan={columns.length}>
        {strings.blockedGroup(blocked.length)}
        {strings.gap}
        <span>{strings.listOf(causes)}</span>
      </th>
    </tr>
  )
}

function causeOf({ blockedReasons: [first = ''], status: { until } }: PoolAccount): Cause {
  if (first === 'operator_disabled') return 'disabled'
  if (first === 'auth_invalid') return 'you'
  if (first === 'status_invalid') return 'unavailable'
  if (first.startsWith('quota_exhausted')) return until === null ? 'you' : 'reset'
  return 'cool'
}
