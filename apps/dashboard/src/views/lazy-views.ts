import { lazyView } from './lazy-view.tsx'

/** Views that are not part of the first one. */
export const LazyAccounts = lazyView(async () => (await import('./accounts.tsx')).Accounts)
export const LazyHealth = lazyView(async () => (await import('./health.tsx')).HealthView)
export const LazyResets = lazyView(async () => (await import('./resets.tsx')).Resets)
