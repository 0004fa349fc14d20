import './accounts-lines.css'
import { countText } from '@svc/views/format'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { AccountDrawer } from '../parts/account-drawer.tsx'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { isPageCovered } from '../parts/drawer-panel.tsx'
import { Popup, PopupItem } from '../parts/popup.tsx'
import { shown } from '../parts/text.tsx'
import {
  clearPicks,
  endStretch,
  followPool,
  pickedAccounts,
  pickedKeys,
  pickFound,
  pickUpTo,
  togglePick,
} from '../state/account-picks.ts'
import { found } from '../state/account-search.ts'
import { foundSums, sections, sumAccounts } from '../state/account-sections.ts'
import { isForPage, privacy } from '../state/display-state.ts'
import { type PoolAccount, status } from '../state/live-data.ts'
import { openAccount, rankInProvider, shownAccounts } from '../state/pool.ts'
import { closeAccount, goTo, route } from '../state/route.ts'
import { accountsWords } from '../words/accounts-words.ts'
import { strings } from '../words/strings.ts'
import { sumsText } from './accounts-columns.tsx'
import { AccountFilters } from './accounts-filters.tsx'
import { AccountTable, showBlocked } from './accounts-table.tsx'
import { LazySetUp } from './lazy-parts.ts'

/** Announces the number of found accounts. Separate from the sums, which change with every reading. */
function FoundCount() {
  return (
    <p class="sr" role="status">
      {strings.accountCount(foundSums.value.accounts)}
    </p>
  )
}

/** Sums of the found accounts. */
function SumsLine() {
  return foundSums.value.accounts === 0 ? null : <p class="sums">{sumsText(foundSums.value)}</p>
}

/** Rarely used functions of the table. */
function TableMenu() {
  const { accounts: count, routable } = foundSums.value
  if (count === 0) return null
  return (
    <Popup name={accountsWords.tableMenu} icon="more">
      <CopyButton
        name={strings.copyNames(count)}
        text={() => found.value.map(({ account }) => shown(account.title)).join('\n')}
      />
      {routable > 0 && sections.value.some(({ head }) => head === 'blocked') && (
        <PopupItem run={showBlocked}>{accountsWords.toBlocked}</PopupItem>
      )}
      {privacy.value && <p>{accountsWords.copiedMasked}</p>}
    </Popup>
  )
}

/** Bar below the table with the sums of the picked accounts and buttons to copy their names. Always in sight. */
function PickedBar() {
  const { accounts, hidden } = pickedAccounts.value
  const isEmpty = accounts.length === 0
  const copied = (textOf: (account: PoolAccount) => string) => () =>
    accounts.map((account) => shown(textOf(account))).join('\n')
  return (
    <div class={isEmpty ? 'picked-bar sr' : 'picked-bar'}>
      <p role="status">
        {isEmpty ? '' : accountsWords.picked(sumsText(sumAccounts(accounts)), hidden)}
      </p>
      {!isEmpty && (
        <div class="picked-tools">
          <CopyButton
            name={strings.copyNames(accounts.length)}
            text={copied(({ title }) => title)}
          />
          <CopyButton
            name={accountsWords.copyFiles(accounts.length)}
            text={copied(({ selector }) => selector.authName)}
          />
          {accounts.length - hidden < found.value.length && (
            <Button onClick={pickFound}>
              {accountsWords.selectAll(countText(found.value.length))}
            </Button>
          )}
          <Button onClick={clearPicks}>{accountsWords.clearPicks}</Button>
          {privacy.value && <span class="dim">{accountsWords.copiedMasked}</span>}
        </div>
      )}
    </div>
  )
}

/** Table of all accounts with details of each. Before any account is known, it shows the set-up steps. */
export function Accounts({ title }: { readonly title: string }) {
  return status.value?.available === true ? <Table title={title} /> : <LazySetUp title={title} />
}

function Table({ title }: { readonly title: string }) {
  const selected = openAccount.value
  useTableKeys()
  useEffect(() => followPool(), [])
  // Content under the details is inert for keyboards and screen readers.
  const isBehind = selected !== null && isPageCovered.value
  const filters = useRef<HTMLDivElement>(null)
  useStickyHeads(filters)
  return (
    <>
      <h2 class="sr">{title}</h2>
      <div class="find" ref={filters} inert={isBehind}>
        {shownAccounts.value.length > 0 && (
          <>
            <AccountFilters />
            <TableMenu />
            <SumsLine />
            <FoundCount />
          </>
        )}
      </div>
      <div class="split">
        <div class={pickedKeys.value.size > 0 ? 'table-box picking' : 'table-box'} inert={isBehind}>
          {shownAccounts.value.length === 0 ? (
            <p class="empty">{strings.noAccounts}</p>
          ) : (
            <AccountTable selected={selected} />
          )}
          <PickedBar />
        </div>
        {selected !== null && <AccountDrawer account={selected} rank={rankInProvider(selected)} />}
      </div>
    </>
  )
}

/** Sets the heights of the page's header and of the filters as CSS properties, so that sticky content below them is not covered. */
function useStickyHeads(filters: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const root = document.documentElement
    const top = document.querySelector<HTMLElement>('.top')
    const find = filters.current
    if (top === null || find === null) return
    const measure = () => {
      root.style.setProperty('--top-height', `${top.offsetHeight}px`)
      root.style.setProperty('--find-height', `${find.offsetHeight}px`)
    }
    const observer = new ResizeObserver(measure)
    observer.observe(top)
    observer.observe(find)
    measure()
    return () => {
      observer.disconnect()
      root.style.removeProperty('--top-height')
      root.style.removeProperty('--find-height')
    }
  }, [])
}

/** Handles the table's keys while the calling component is mounted. */
function useTableKeys(): void {
  useLayoutEffect(() => {
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [])
}

function onKeyDown(event: KeyboardEvent): void {
  const target = event.target instanceof Element ? event.target : null
  const letter = { j: 1, k: -1 }[event.key]
  if (event.key === 'Escape') onEscape(target)
  else if (letter !== undefined && isForPage(event)) goBy(letter)
  else if (event.key === 'c' && isForPage(event))
    document.querySelector<HTMLElement>('.picked-tools .copy')?.click()
  else if (isSelectAll(event)) {
    if (target?.closest('.accounts, .picked-bar')) take(event, pickFound)
  } else if (!event.ctrlKey && !event.metaKey && !event.altKey) onRowKey(event, target)
}

/** Handles keys pressed on the focused row. */
function onRowKey(event: KeyboardEvent, target: Element | null): void {
  const link = target?.closest('.accounts tbody tr')?.querySelector<HTMLAnchorElement>('.open')
  if (link == null) return
  const arrow = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (arrow !== undefined) take(event, () => goBy(arrow, event.shiftKey))
  // A checkbox in the row handles the space bar itself.
  else if (event.key === ' ' && target === link) take(event, () => togglePick(keyOf(link)))
}

function take(event: KeyboardEvent, act: () => void): void {
  event.preventDefault()
  act()
}

const isSelectAll = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  (ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'a'

const keyOf = (link: HTMLAnchorElement) => link.closest('tr')?.getAttribute('data-key') ?? ''

/** Closes the details; if none are open, clears the picks. */
function onEscape(target: Element | null): void {
  if (target?.closest('dialog[open]')) return
  if (route.value.account !== null) {
    const link = document.querySelector<HTMLElement>('tr.selected .open')
    closeAccount()
    link?.focus()
  } else if (pickedKeys.value.size > 0 && !target?.matches('[type=search]')) clearPicks()
}

/** Moves to another row, or to the first if no row is current; open details follow. */
function goBy(step: number, isStretching = false): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.accounts .open')]
  const rowOf = (link: HTMLAnchorElement) => link.closest('tr')
  const focused = links.findIndex((link) => rowOf(link)?.contains(document.activeElement))
  const from = focused >= 0 ? focused : links.findIndex((link) => rowOf(link)?.matches('.selected'))
  const next = links[from < 0 ? 0 : from + step]
  if (next === undefined) return
  if (isStretching) pickUpTo(keyOf(next), keyOf(links[from] ?? next))
  else endStretch()
  next.focus()
  rowOf(next)?.scrollIntoView({ block: 'nearest' })
  if (route.value.account !== null) goTo(next.hash, { replace: true })
}
