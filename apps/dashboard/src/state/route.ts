import { signal } from '@preact/signals'

/** What the address says: the name of a view, and in Accounts the account whose details are open. */
export interface Route {
  /** Empty where the address names none. */
  readonly view: string
  readonly account: string | null
}

export const route = signal(routeOf(location.hash))

addEventListener('hashchange', () => {
  const next = routeOf(location.hash)
  if (next.view !== route.value.view) scrollTo(0, 0)
  route.value = next
})

export const viewHref = (view: string): string => `#${view}`
export const accountHref = (key: string): string => `#accounts/${encodeURIComponent(key)}`

/** Goes there; `replace` leaves no trace in the history. */
export function goTo(href: string, { replace = false } = {}): void {
  if (replace) {
    history.replaceState(null, '', href)
    route.value = routeOf(location.hash)
  } else location.hash = href
}

function routeOf(hash: string): Route {
  const [path = ''] = hash.slice(1).split('?')
  const [view = '', account = ''] = path.split('/')
  return { view, account: account === '' ? null : decoded(account) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
