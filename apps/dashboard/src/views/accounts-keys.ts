import { useLayoutEffect } from 'preact/hooks'
import {
  clearPicks,
  endStretch,
  pickedKeys,
  pickFound,
  pickUpTo,
  togglePick,
} from '../state/account-picks.ts'
import { isForPage } from '../state/page-keys.ts'
import { closeAccount, goTo, route } from '../state/route.ts'

/** Handles the table's keys while the calling component is mounted. */
export function useTableKeys(): void {
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
