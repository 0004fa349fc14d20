import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { accountHref, closeAccount, viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'
import { Icon } from './icon.tsx'

/** Whether an open panel covers the page, so that nothing behind it may be reached. */
export const isPageCovered: Signal<boolean> = signal(false)

/**
 * The panel of an account's details. Where the styles lay it over the page it is a dialog that holds the focus; beside the table it comes next
 * after its row, whatever lies between them. The focus returns to the row.
 */
export function DrawerPanel({
  accountKey,
  children,
}: {
  readonly accountKey: string
  readonly children: ComponentChildren
}) {
  const panel = useRef<HTMLElement>(null)
  const isDialog = isPageCovered.value
  useLayoutEffect(() => followCover(panel.current), [])
  useEffect(() => {
    if (isDialog) panel.current?.focus()
  }, [accountKey, isDialog])
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Tab' && moveFocus(panel.current, accountKey, event.shiftKey))
        event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [accountKey])
  return (
    <aside
      class="drawer"
      ref={panel}
      role={isDialog ? 'dialog' : undefined}
      aria-modal={isDialog ? 'true' : undefined}
      aria-label={strings.details}
      tabIndex={-1}
    >
      {children}
    </aside>
  )
}

/** Closes the details it stands in. */
export function CloseDetails() {
  return (
    <a
      class="button square bare"
      href={viewHref('accounts')}
      aria-label={strings.close}
      onClick={(event) => {
        event.preventDefault()
        closeAccount()
      }}
    >
      <Icon name="close" />
    </a>
  )
}

/** Watches whether the styles lay the panel over the page, until it is gone; then the focus that was in it returns to its row. */
function followCover(panel: HTMLElement | null): () => void {
  const look = () => {
    isPageCovered.value = panel !== null && getComputedStyle(panel).position === 'fixed'
  }
  look()
  addEventListener('resize', look)
  return () => {
    removeEventListener('resize', look)
    isPageCovered.value = false
  }
}

const FOCUSABLE = 'a, button, input, select, summary'

/** The elements of the table and of the panel that Tab goes through, those of the panel next after its row. */
function moveFocus(panel: HTMLElement | null, accountKey: string, isBackwards: boolean): boolean {
  const row = rowLink(accountKey)
  if (panel === null || row === null || isPageCovered.value) return false
  const inPanel = [...panel.querySelectorAll<HTMLElement>(FOCUSABLE)]
  const links = [...document.querySelectorAll<HTMLElement>('.accounts .open')]
  const after = links[links.indexOf(row) + 1]
  const path = [row, ...inPanel, ...(after === undefined ? [] : [after])]
  const focused = document.activeElement
  const at = focused === panel ? 0 : path.findIndex((element) => element === focused)
  const next = path[at + (isBackwards ? -1 : 1)]
  if (at < 0 || next === undefined) return false
  next.focus()
  return true
}

/** The link of the account's row, where the row is drawn. */
export function rowLink(accountKey: string): HTMLElement | null {
  const href = accountHref(accountKey)
  return (
    [...document.querySelectorAll<HTMLAnchorElement>('.accounts .open')].find(
      ({ hash }) => hash === href,
    ) ?? null
  )
}
