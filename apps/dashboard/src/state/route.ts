import { signal } from '@preact/signals'

export const viewIds = ['overview', 'accounts', 'resets', 'stats', 'health'] as const
export type ViewId = (typeof viewIds)[number]

/** What the address says: a view, and in Accounts the account whose details are open. */
export interface Route {
  readonly view: ViewId
  readonly account: string | null
}

export const route = signal(routeOf(location.hash))

addEventListener('hashchange', () => {
  const next = routeOf(location.hash)
  if (next.view !== route.value.view) scrollTo(0, 0)
  route.value = next
})

export const viewHref = (view: ViewId): string => `#${view}`
export const accountHref = (key: string): string => `#accounts/${encodeURIComponent(key)}`

/** Goes there; `replace` leaves no trace in the history. */
export function goTo(href: string, { replace = false } = {}): void {
  if (replace) {
    history.replaceState(null, '', href)
    route.value = routeOf(location.hash)
  } else location.hash = href
}

function routeOf(hash: string): Route {
  const [name = '', account = ''] = hash.slice(1).split('/')
  const view = viewIds.find((id) => id === name) ?? 'overview'
  return { view, account: account === '' ? null : decoded(account) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
