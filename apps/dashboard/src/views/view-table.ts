import type { ComponentType } from 'preact'
import type { IconName } from '../parts/icon.tsx'
import { lazyView } from '../parts/lazy-view.tsx'
import { strings } from '../words/strings.ts'
import { Overview } from './overview.tsx'

const titles = strings.viewTitles

// Views whose code is not needed for the first view.
const LazyAccounts = lazyView(async () => (await import('./accounts.tsx')).Accounts)
const LazyHealth = lazyView(async () => (await import('./health.tsx')).HealthView)
const LazyStats = lazyView(async () => (await import('./stats.tsx')).Stats)
const LazyPrices = lazyView(async () => (await import('./prices.tsx')).PricesView)
const LazyResets = lazyView(async () => (await import('./resets.tsx')).Resets)

/** A view of the page: its tab, its address `#id`, and its key. */
export interface PageView {
  /** Id in the address. Never changes, because saved links contain it. */
  readonly id: string
  readonly title: string
  readonly icon: IconName
  /** Key that opens the view. */
  readonly key?: string
  readonly View: ComponentType<{ readonly title: string }>
}

/** Every view, in the order of the tabs; an address without a known view shows the first. */
export const views: readonly [PageView, ...PageView[]] = [
  { id: 'overview', title: titles.overview, icon: 'overview', key: '1', View: Overview },
  { id: 'accounts', title: titles.accounts, icon: 'accounts', key: '2', View: LazyAccounts },
  { id: 'resets', title: titles.resets, icon: 'clock', key: '3', View: LazyResets },
  { id: 'stats', title: titles.stats, icon: 'stats', key: '4', View: LazyStats },
  { id: 'health', title: titles.health, icon: 'health', key: '5', View: LazyHealth },
  { id: 'prices', title: titles.prices, icon: 'prices', key: '6', View: LazyPrices },
]

/** View by its id; the first view for an unknown id. */
export function findView(id: string): PageView {
  return views.find((view) => view.id === id) ?? views[0]
}
