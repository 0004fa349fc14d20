import { type Signal, signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { accountHref, closeAccount, viewHref } from '../state/route.ts'
import { strings } from '../words/strings.ts'
import { Icon } from './icon.tsx'

/** Whether an open panel covers the page, which makes everything behind it unreachable. */
export const isPageCovered: Signal<boolean> = signal(false)

/**
 * The panel with an account's details. If the styles lay it over the page it is a dialog that traps the focus; beside the table it follows
 * its row in Tab order, whatever lies between. Closing it returns the focus to the row.
 */
export function DrawerPanel({
  accountKey,
  children,
}: {
  readonly accountKey: string
  readonly children: ComponentChildren
}) {
  const panel = useRef<HTMLDivElement>(null)
  const isDialog = isPageCovered.value
  useLayoutEffect(() => followCover(panel.current), [])
  useLayoutEffect(() => returnFocus(panel.current, accountKey), [accountKey])
  useEffect(() => {
    if (isDialog || isNowhere(document.activeElement)) panel.current?.focus()
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
    <div
      class="drawer"
      ref={panel}
      {...(isDialog ? { role: 'dialog', 'aria-modal': true } : { role: 'complementary' })}
      {...{ 'aria-label': strings.details }}
      tabIndex={-1}
    >
      {children}
    </div>
  )
}

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

/** Watches whether the panel covers the page. When the panel goes, the focus inside it returns to its row. The returned function ends it. */
function followCover(panel: HTMLElement | null): () => void {
  const look = () => {
    isPageCovered.value =
      panel !== null &&
      getComputedStyle(panel).position === 'fixed' &&
      !(panel.offsetWidth < document.documentElement.clientWidth)
  }
  look()
  addEventListener('resize', look)
  return () => {
    removeEventListener('resize', look)
    isPageCovered.value = false
  }
}

/** Creates the cleanup that returns the focus to the row if the panel is removed while it, or nothing, has the focus. */
function returnFocus(panel: HTMLElement | null, accountKey: string): () => void {
  return () => {
    const focused = document.activeElement
    if (panel === null || !(isNowhere(focused) || panel.contains(focused))) return
    // The panel may now show another account, and a table that was covered can take the focus only after it is drawn again.
    queueMicrotask(() => {
      if (!panel.isConnected) rowLink(accountKey)?.focus()
    })
  }
}

/** Whether the focus is in no useful place: on nothing, on the body, or on a region. */
const isNowhere = (focused: Element | null) =>
  focused === null || focused === document.body || focused.matches('main, .view')

const FOCUSABLE = 'a, button, input, select, summary, [role="slider"]'

/** Moves the focus from the row into its panel and from the panel to the next row; false if the browser's own order is right. */
function moveFocus(panel: HTMLElement | null, accountKey: string, isBackwards: boolean): boolean {
  const row = rowLink(accountKey)
  if (panel === null || row === null || isPageCovered.value) return false
  const inPanel = [...panel.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(canTakeFocus)
  const links = rowLinks()
  const path: readonly HTMLElement[] = [
    row,
    ...inPanel,
    ...links.slice(links.indexOf(row) + 1).slice(0, 1),
  ]
  const focused = document.activeElement
  // The panel stands behind the rows in the document: from the last of them the browser goes on from its end, and not into it again.
  if (!isBackwards && focused !== row && focused === links.at(-1)) {
    inPanel.at(-1)?.focus()
    return false
  }
  const at = focused === panel ? Number(isBackwards) : path.indexOf(focused as HTMLElement)
  const next = at < 0 ? undefined : path[at + (isBackwards ? -1 : 1)]
  next?.focus()
  return next !== undefined
}

function canTakeFocus(element: HTMLElement): boolean {
  // Tab stops only at the checked radio button of a group; arrow keys reach the others.
  const { type, checked } = element as HTMLInputElement
  if (type === 'radio' && !checked) return false
  return !element.matches('[disabled], [tabindex="-1"]') && element.checkVisibility?.() !== false
}

const rowLinks = () => [...document.querySelectorAll<HTMLAnchorElement>('.accounts .open')]

/** The link of the account's row; null if the row is not drawn. */
function rowLink(accountKey: string): HTMLAnchorElement | null {
  const href = accountHref(accountKey)
  return rowLinks().find(({ hash }) => hash === href) ?? null
}
