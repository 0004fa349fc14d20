import { compactText } from '@svc/views/format'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon, ToneIcon } from '../parts/icon.tsx'
import { Name } from '../parts/name.tsx'
import { useVisibleRows } from '../parts/visible-rows.ts'
import { dueText, WindowCell } from '../parts/window-cell.tsx'
import {
  type ColumnId,
  clearFilters,
  found,
  type Row,
  sortBy,
  sorting,
} from '../state/account-search.ts'
import { calmMs, elapsedSeconds, type PoolAccount, status, zone } from '../state/live-data.ts'
import {
  accountKeyOf,
  accounts,
  blockOf,
  isDisabled,
  isHeldByWeek,
  isStale,
  poolTokens,
  sampleSecondsOf,
  toneOf,
  uncountedWindowOf,
  windowOf,
} from '../state/pool.ts'
import { accountHref, goTo } from '../state/route.ts'
import { strings } from '../words/strings.ts'
import { countingDurationText } from '../words/times.ts'

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

function AccountRow({
  row: { account, rank },
  index,
  isSelected,
}: {
  readonly row: Row
  readonly index: number
  readonly isSelected: boolean
}) {
  const { lastSample, usage } = account
  const five = windowOf(account, '5h')
  const uncounted = uncountedWindowOf(account)
  const total = poolTokens.value
  const href = accountHref(accountKeyOf(account))
  const everySeconds = sampleSecondsOf(account)
  // Only an age that would be old for others needs to be explained.
  const isRarelyRead =
    everySeconds !== null && everySeconds > (status.value?.tabs.pool.sampleEverySeconds ?? 0)
  const age =
    lastSample === null ? null : countingDurationText(lastSample.ageSeconds + elapsedSeconds.value)
  return (
    <tr
      role="row"
      aria-rowindex={index}
      class={`${rank === null ? 'blocked' : ''}${isSelected ? ' selected' : ''}`}
      aria-current={isSelected ? 'true' : undefined}
      onClick={(event) => {
        if (!isOfItsOwn(event)) goTo(href)
      }}
    >
      <td role="cell" class="rank">
        {rank ?? '–'}
      </td>
      <th role="rowheader" scope="row" class="who">
        <a
          class="account open"
          href={href}
          draggable={false}
          onClick={(event) => {
            if (isTextMarked()) event.preventDefault()
          }}
        >
          <Name text={account.title} />
        </a>
      </th>
      <td role="cell" class="plan">
        <span class="badge">{account.badge}</span>
      </td>
      <td role="cell" class="state">
        <StatusText account={account} />
      </td>
      <td role="cell" class="points">
        {account.score}
      </td>
      <td role="cell" class="five">
        {isDisabled(account) ? (
          <span class="dim">{strings.notTracked}</span>
        ) : (
          <WindowCell window={five} heldByWeek={isHeldByWeek(account, '5h')} />
        )}
      </td>
      <td role="cell" class="week">
        {!isDisabled(account) && (
          <WindowCell
            window={uncounted ?? windowOf(account, 'week')}
            isUncounted={uncounted !== undefined}
          />
        )}
      </td>
      <td role="cell" class="load">
        {usage !== null && total > 0 && (
          <>
            {`${Math.round((usage.tokens / total) * 100)}%`}{' '}
            <span class="dim">{compactText(usage.tokens)}</span>
          </>
        )}
      </td>
      <td role="cell" class="sample">
        {age !== null && lastSample !== null && (
          <>
            {isStale(account) ? strings.sampleStale(age) : age}{' '}
            <span class="dim">{strings.origins[lastSample.origin] ?? lastSample.origin}</span>
            {isRarelyRead && <span class="due">{dueText(everySeconds)}</span>}
          </>
        )}
      </td>
    </tr>
  )
}

/** A click that does something else than to open the row: on a link, or at the end of marking a text. */
function isOfItsOwn({ target }: Event): boolean {
  return isTextMarked() || (target instanceof Element && target.closest('a, button') !== null)
}

const isTextMarked = () => getSelection()?.isCollapsed === false

/** The state in words; of a blocked account what blocks it, and until when. */
function StatusText({ account }: { readonly account: PoolAccount }) {
  const block = isWaiting(account) ? blockOf(account) : null
  const text = block?.text ?? account.status.text
  return (
    <span class="status" title={text}>
      <ToneIcon tone={toneOf(account)} />
      <span class="words">
        <span>{text}</span>
        {block !== null && (
          <span class="second">
            {block.until === null
              ? strings.noEndKnown
              : strings.blockedUntil(zone.value.momentText(Date.parse(block.until), calmMs.value))}
          </span>
        )}
        {block === null && account.counted === false && (
          <span class="second">{strings.sameAccount}</span>
        )}
      </span>
    </span>
  )
}

/** Blocked by what ends some time, which the name of its state does not say. */
const isWaiting = ({ blockedReasons: [first = ''] }: PoolAccount) =>
  first.startsWith('quota_exhausted') || first === 'upstream_retry_after'

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
