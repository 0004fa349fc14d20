import { batch, effect, signal } from '@preact/signals'
import { addressQuery, takeQuery } from './address-parameters.ts'

/** Target of an address: a view and, in Accounts, the account whose details are open. */
export interface Route {
  /** View id; empty if the address contains none. */
  readonly view: string
  readonly account: string | null
}

/** View id used in an address that has parameters but names no view. */
export const FIRST_VIEW = 'overview'
/** Id of the view with the details of an account. */
const ACCOUNTS = 'accounts'

export const route = signal(parseRoute(location.hash))
takeQuery(shownView(route.value), queryIn(location.hash))

/** History entries between the open account and the table it was opened from; null if it was not opened from there. */
let stepsToTable = stepsInEntry()
let isClosing = false

addEventListener('hashchange', () => {
  const next = parseRoute(location.hash)
  const before = route.value
  if (shownView(next) !== shownView(before)) scrollTo(0, 0)
  batch(() => {
    route.value = next
    // Closing an account leads back to the table's current state, not its earlier one.
    if (!isClosing) takeQuery(shownView(next), queryIn(location.hash))
    isClosing = false
  })
  stepsToTable = stepsFrom(before, next)
})

// Keeps the address equal to the shown state, within the same history entry.
effect(() => {
  const href = routeHref(route.value)
  if (href !== location.hash && (route.value.view !== '' || href.includes('?'))) replace(href)
})

export const viewHref = (view: string): string => routeHref({ view, account: null })
export const accountHref = (key: string): string => routeHref({ view: ACCOUNTS, account: key })

/** Opens an address; `replace` adds no history entry. */
export function goTo(href: string, options: { readonly replace?: boolean } = {}): void {
  if (options.replace !== true) {
    location.hash = href
    return
  }
  replace(href)
  batch(() => {
    route.value = parseRoute(href)
    takeQuery(shownView(route.value), queryIn(href))
  })
}

/** Closes the open account and goes back to the table it was opened from, so that the Back button does not open it again. */
export function closeAccount(): void {
  if (stepsToTable === null) {
    goTo(viewHref(ACCOUNTS), { replace: true })
    return
  }
  // The browser goes back asynchronously; a second call would go too far.
  if (isClosing) return
  isClosing = true
  history.go(-stepsToTable)
}

function replace(href: string): void {
  try {
    history.replaceState(history.state, '', href)
  } catch {
    // Browsers limit the rate of history changes; the next change writes the full state again.
  }
}

interface EntryState {
  readonly stepsToTable?: number
}

function stepsInEntry(): number | null {
  return (history.state as EntryState | null)?.stepsToTable ?? null
}

function stepsFrom(before: Route, next: Route): number | null {
  if (next.account === null) return null
  // An old entry has stored its steps; a new one has none yet.
  if (history.state !== null) return stepsInEntry()
  const steps =
    before.view !== ACCOUNTS
      ? null
      : before.account === null
        ? 1
        : stepsToTable === null
          ? null
          : stepsToTable + 1
  if (steps !== null)
    history.replaceState({ stepsToTable: steps } satisfies EntryState, '', location.hash)
  return steps
}

function routeHref({ view, account }: Route): string {
  const shown = view === '' ? FIRST_VIEW : view
  const path = account === null ? shown : `${shown}/${encodeURIComponent(account)}`
  return `#${path}${addressQuery(shown)}`
}

export function shownView({ view }: Route): string {
  return view === '' ? FIRST_VIEW : view
}

function queryIn(hash: string): string {
  const at = hash.indexOf('?')
  return at < 0 ? '' : hash.slice(at + 1)
}

function parseRoute(hash: string): Route {
  const [path = ''] = hash.slice(1).split('?')
  const [view = '', account = ''] = path.split('/')
  return { view, account: account === '' ? null : decode(account) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
