import { lazyView } from '../parts/lazy-view.tsx'
import { strings } from '../words/strings.ts'

/** Parts of several views whose code loads after the numbers. */
export const LazySetUp = lazyView(async () => (await import('./set-up.tsx')).SetUp)
export const LazyFlowChart = lazyView(
  async () => (await import('../parts/flow-chart.tsx')).FlowChart,
  strings.chartFailed,
)
