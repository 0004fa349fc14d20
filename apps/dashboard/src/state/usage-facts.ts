import { signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { askRegularly } from './ask-regularly.ts'
import { question } from './usage-question.ts'
import { fetchSeries, ofProvider, withFilters } from './usage-series.ts'

/** Usage of a range in the metrics that explain the chosen one; empty before the first answers. */
export const facts = signal<readonly StatsSeries[]>([])

const REFRESH_MS = 60_000

/**
 * Requests the totals of these metrics now, and regularly while the page is visible. The returned function ends this. `bucket` is the chart's, so
 * that both ranges begin at the same time.
 */
export function followFacts(
  of: Pick<StatsSeries['query'], 'range' | 'bucket'>,
  metrics: readonly string[],
): () => void {
  return askRegularly((signalToStop) => void load(of, metrics, signalToStop), REFRESH_MS)
}

async function load(
  { range, bucket }: Pick<StatsSeries['query'], 'range' | 'bucket'>,
  metrics: readonly string[],
  signalToStop: AbortSignal,
): Promise<void> {
  const { from, to } = question.value
  try {
    const answers: StatsSeries[] = []
    // One after the other, because each may read single requests.
    for (const metric of metrics) {
      const query = new URLSearchParams({
        ...(range === 'custom' ? { from, ...(to === '' ? {} : { to }) } : { range }),
        bucket,
        metric,
        group: 'total',
        top: '1',
        smooth: '0',
        ...ofProvider(),
      })
      answers.push(await fetchSeries(withFilters(query), signalToStop))
    }
    facts.value = answers
  } catch {
    // The last ones stay; that the monitor does not answer is said beside the chart.
  }
}
