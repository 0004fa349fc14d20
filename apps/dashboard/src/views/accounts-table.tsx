import { useLayoutEffect, useRef } from 'preact/hooks'
import { Legend } from '../parts/bars.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Popup } from '../parts/popup.tsx'
import { useVisibleRows, type VisibleRows } from '../parts/visible-rows.ts'
import { type ColumnId, clearFilters, sortBy, sorting } from '../state/account-filters.ts'
import { pickedKeys, togglePicks } from '../state/account-picks.ts'
import { found, paidChoices } from '../state/account-search.ts'
import { type Section, sections, shownKeys } from '../state/account-sections.ts'
import { isMixed } from '../state/fleet.ts'
import type { PoolAccount } from '../state/live-data.ts'
import { accountKeyOf, holdsBankedResets, shownAccounts } from '../state/pool.ts'
import { windowColumns } from '../state/window-columns.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { AccountRow } from './account-row.tsx'
import { type Column, PickBox, shownColumns } from './accounts-columns.tsx'
import { BlockedHead, GroupHead } from './accounts-heads.tsx'

/** Table of the found accounts, in sections with their own heads. */
export function AccountTable({ selected }: { readonly selected: PoolAccount | null }) {
  const table = useRef<HTMLTableElement>(null)
  const placed = placedSections()
  const lines = placed.at(-1)?.end ?? 0
  const range = useVisibleRows(table, lines)
  useLayoutEffect(() => range.measure())
  const selectedKey = selected === null ? null : accountKeyOf(selected)
  useLayoutEffect(() => {
    if (selectedKey !== null) showRow(placed, selectedKey)
  }, [selectedKey])

  if (lines === 0 && shownAccounts.value.length > 0) {
    return (
      <p class="empty">
        {accountsWords.noMatch} <Button onClick={clearFilters}>{accountsWords.clearFilters}</Button>
      </p>
    )
  }
  return (
    // Explicit roles, because rows become grids on a phone and would lose theirs.
    <table
      class={`accounts${isMixed.value ? ' fleet' : ''} windows-${windowColumns.value.length}`}
      role="table"
      aria-rowcount={lines + 1}
      ref={table}
    >
      <caption class="sr">{accountsWords.accountsCaption}</caption>
      <thead role="rowgroup">
        <tr role="row" aria-rowindex={1}>
          <PickHead />
          {shownColumns().map((column) => (
            <Head key={column.id} {...column} />
          ))}
        </tr>
      </thead>
      <Spacer height={range.before} />
      {placed.map((each) => (
        <SectionRows key={each.section.id} placed={each} range={range} selectedKey={selectedKey} />
      ))}
      <Spacer height={range.after} />
    </table>
  )
}

/** A section with its range of table lines, counted from 0. A head is the section's first line. */
interface Placed {
  readonly section: Section
  readonly first: number
  /** The line after the section's last one. */
  readonly end: number
}

function placedSections(): readonly Placed[] {
  let end = 0
  return sections.value.map((section) => {
    const first = end
    end += section.rows.length + Number(section.head !== null)
    return { section, first, end }
  })
}

/** The visible rows of a section. */
function SectionRows({
  placed: { section, first, end },
  range,
  selectedKey,
}: {
  readonly placed: Placed
  readonly range: VisibleRows
  readonly selectedKey: string | null
}) {
  if (end <= range.first || first >= range.end) return null
  const firstRow = first + Number(section.head !== null)
  const from = Math.max(range.first, firstRow)
  const rows = section.rows.slice(from - firstRow, Math.max(0, range.end - firstRow))
  // Row 1 of the table has the column heads.
  const indexOf = (line: number) => line + 2
  return (
    <tbody role="rowgroup">
      {first >= range.first && <SectionHead section={section} index={indexOf(first)} />}
      {rows.map((row, place) => {
        const key = accountKeyOf(row.account)
        return (
          <AccountRow
            key={key}
            row={row}
            index={indexOf(from + place)}
            isSelected={key === selectedKey}
          />
        )
      })}
    </tbody>
  )
}

function SectionHead({ section, index }: { readonly section: Section; readonly index: number }) {
  if (section.head === null) return null
  return section.head === 'blocked' ? (
    <BlockedHead section={section} index={index} columns={shownColumns().length + 1} />
  ) : (
    <GroupHead section={section} index={index} />
  )
}

/** Scrolls to the row of this account, drawn or not. Does nothing if the whole row is visible. */
function showRow(placed: readonly Placed[], key: string): void {
  const drawn = [...document.querySelectorAll<HTMLElement>('.accounts tbody tr')].find(
    (row) => row.dataset?.key === key,
  )
  const box = drawn?.getBoundingClientRect()
  if (box !== undefined && box.top >= headsBottom() && box.bottom <= innerHeight) return
  for (const { section, first } of placed) {
    const index = section.rows.findIndex(({ account }) => accountKeyOf(account) === key)
    if (index >= 0) showLine(first + Number(section.head !== null) + index)
  }
}

/** Scrolls to the first blocked account, whether its row is drawn or not. */
export function showBlocked(): void {
  showLine(found.value.findIndex(({ rank }) => rank === null))
}

/** Scrolls to a line of the table, counted from 0. */
function showLine(index: number): void {
  // The first body may be the spacer, which has no row to measure.
  const body = document.querySelector('.accounts tbody')
  const row = document.querySelector<HTMLElement>('.accounts tbody tr:not(.spacer, .group)')
  if (body === null || row === null || index < 0) return
  const { top } = body.getBoundingClientRect()
  const heads = Math.min(headsBottom() + 8, innerHeight / 2)
  scrollTo(0, scrollY + top + index * row.offsetHeight - heads)
}

/** Lower edge of the fixed heads above the rows, in pixels from the top of the window. */
function headsBottom(): number {
  const heads = document.querySelectorAll('.top, .find, .accounts thead th')
  return Math.max(0, ...[...heads].map((head) => head.getBoundingClientRect().bottom))
}

/** Takes the height of rows that are out of sight. */
function Spacer({ height }: { readonly height: number }) {
  const cell = useRef<HTMLTableCellElement>(null)
  useLayoutEffect(() => {
    if (cell.current !== null) cell.current.style.height = `${height}px`
  }, [height])
  if (height === 0) return null
  return (
    <tbody role="rowgroup">
      <tr class="spacer" role="row">
        <td role="cell" ref={cell} />
      </tr>
    </tbody>
  )
}

/** Checkbox that picks or unpicks all rows. */
function PickHead() {
  const keys = shownKeys.value
  const picked = keys.filter((key) => pickedKeys.value.has(key)).length
  return (
    <th role="columnheader" scope="col" class="pick">
      <PickBox
        name={accountsWords.pickAll}
        isPicked={keys.length > 0 && picked === keys.length}
        isPartly={picked > 0 && picked < keys.length}
        onPick={() => togglePicks(keys)}
      />
    </th>
  )
}

function Head({ id, text, className, second }: Column) {
  const { column, isDescending } = sorting.value
  const isSorted =
    column === id || column === second?.id || (id === 'week' && column === 'bankedReset')
  return (
    <th
      role="columnheader"
      scope="col"
      class={className}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <HeadButton id={id} text={text} name={id === 'rank' ? accountsWords.rankName : null} />
      {id === windowColumns.value[0]?.id && (
        <Popup name={strings.legend.label} icon="info" isSmall>
          <Legend />
        </Popup>
      )}
      {second !== undefined && (second.id !== 'paidUntil' || paidChoices.value.length > 0) && (
        <HeadButton {...second} isSecond />
      )}
      {id === 'week' && holdsBankedResets.value && (
        <HeadButton
          id="bankedReset"
          text={accountsWords.bankedHead}
          name={accountsWords.columns.bankedReset}
          isSecond
        />
      )}
    </th>
  )
}

function HeadButton({
  id,
  text,
  name,
  isSecond = false,
}: {
  readonly id: ColumnId
  readonly text: string
  /** Full name of the column if its text alone is unclear; null otherwise. */
  readonly name: string | null
  readonly isSecond?: boolean
}) {
  const { column, isDescending } = sorting.value
  const isSorted = column === id
  return (
    <button
      type="button"
      class={`${isSecond ? 'second-head' : ''}${isSorted ? ' sorted' : ''}`}
      title={name ?? undefined}
      aria-label={name ?? undefined}
      onClick={() => sortBy(id)}
    >
      {text}
      {isSorted && <Icon name={isDescending ? 'down' : 'up'} />}
    </button>
  )
}
