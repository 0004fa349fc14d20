import type { StatsSeries } from '@svc/views'
import { useEffect } from 'preact/hooks'
import { measuredIn } from '../state/chart-lines.ts'
import { factsOf } from '../state/metric-families.ts'
import { facts, followFacts } from '../state/usage-facts.ts'
import { strings } from '../words/strings.ts'
import { valueText } from './stats-readings.ts'

/** Totals that say more of the chart's metric: kinds of tokens, times, or failures by cause. The line has its place before they come, so that the chart stays where it is. */
export function Facts({ now }: { readonly now: StatsSeries }) {
  const { range, bucket, metric } = now.query
  const wanted = factsOf(metric)
  useEffect(() => followFacts({ range, bucket }, wanted), [range, bucket, wanted.join()])
  const known = facts.value.filter(
    ({ query, totals }, index) =>
      query.range === range &&
      query.bucket === bucket &&
      query.metric === wanted[index] &&
      typeof totals.value === 'number',
  )
  const rest = otherFailures(known, wanted.length)
  return (
    <p class="facts-line dim">
      {known.map((of) => (
        <span key={of.query.metric}>
          {strings.metrics[of.query.metric]}{' '}
          <b>{valueText(of, { form: 'line' }, measuredIn(of, of.totals))}</b>
        </span>
      ))}
      {rest !== null && (
        <span>
          {strings.otherLine} <b>{rest}</b>
        </span>
      )}
    </p>
  )
}

/** Failures of no named cause, or of none that was told; null unless all totals are failures by cause. */
function otherFailures(known: readonly StatsSeries[], count: number): number | null {
  const [first] = known
  if (first === undefined || known.length < count || !first.query.metric.startsWith('failed'))
    return null
  return Math.max(
    0,
    known.reduce((left, { totals }) => left - (totals.value ?? 0), first.totals.failed),
  )
}
