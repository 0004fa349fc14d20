import { lazyView } from '../parts/lazy-view.tsx'
import { strings } from '../words/strings.ts'

/** Parts shared by several views; their code loads after the numbers. */
export const LazySetUp = lazyView(async () => (await import('./set-up.tsx')).SetUp)
export const LazyConnect = lazyView(async () => (await import('./set-up.tsx')).Connect)
export const LazyPools = lazyView(async () => (await import('./pools.tsx')).Pools)
export const LazyWindowChart = lazyView(
  async () => (await import('./window-chart.tsx')).WindowChart,
  strings.chartFailed,
)
