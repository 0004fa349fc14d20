import { lazyView } from './lazy-view.tsx'

/** Rarely seen, and then by several views. */
export const LazySetUp = lazyView(async () => (await import('./set-up.tsx')).SetUp)
