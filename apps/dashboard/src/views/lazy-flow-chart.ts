import { strings } from '../words/strings.ts'
import { lazyView } from './lazy-view.tsx'

/** Charts of what was and what comes back, in several views; their code comes after the numbers. */
export const LazyFlowChart = lazyView(
  async () => (await import('../parts/flow-chart.tsx')).FlowChart,
  strings.chartFailed,
)
