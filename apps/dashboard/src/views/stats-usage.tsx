import type { StatsSeries } from '@svc/views'
import { compactText, countingDurationText, countText } from '@svc/views/format'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../parts/icon.tsx'
import { shown } from '../parts/name.tsx'
import { drawUsageChart, type UsageChart } from '../parts/usage-chart.ts'
import { privacy, theme } from '../state/display-state.ts'
import { status } from '../state/live-data.ts'
import { failed, series } from '../state/usage-series.ts'
import { strings } from '../words/strings.ts'
import { Breakdown } from './stats-breakdown.tsx'

interface UsageProps {
  readonly drawChart?: typeof drawUsageChart
}

/** Totals, lines and members of what was asked for. */
export function Usage({ drawChart = drawUsageChart }: UsageProps) {
  const now = series.value
  if (now === null) return null
  if (!now.available)
    return (
      <p class="empty">
        {now.range.earliest === null && !hasHistory() ? strings.noHistory : strings.noRows}
      </p>
    )
  if (now.totals.requests === 0) return <p class="empty">{strings.noRows}</p>
  const { totals, range } = now
  return (
    <>
      {failed.value && (
        <p class="banner warn" role="status">
          <Icon name="warn" tone="warn" /> {strings.chartFailed}
        </p>
      )}
      <p class="totals">
        <span>
          <b>{compactText(totals.tokens)}</b> {strings.tokensWord}
        </span>
        <span>
          <b>{countText(totals.requests)}</b> {strings.requestsWord}
        </span>
        <span>
          <b>{totals.failureRateText}</b> {strings.failedWord}
        </span>
        <span class="dim">
          {strings.bucketNote(range.label, countingDurationText(now.bucketSeconds))}
        </span>
      </p>
      <Chart now={now} drawChart={drawChart} />
      <Breakdown now={now} />
    </>
  )
}

function hasHistory(): boolean {
  return status.value?.tabs.usage.available === true
}

function Chart({ now, drawChart }: Required<UsageProps> & { readonly now: StatsSeries }) {
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<UsageChart | null>(null)
  const { metric, group, range } = now.query
  // Colours are read off the page, so a new theme draws anew; so do names that are hidden.
  const look = `${document.documentElement.dataset.theme ?? ''} ${theme.value} ${privacy.value}`
  useEffect(() => {
    if (box.current === null) return
    chart.current?.destroy()
    chart.current = drawChart(box.current, now, shown)
  }, [now, look])
  useEffect(() => () => chart.current?.destroy(), [])
  return (
    <div
      class="usage-chart"
      ref={box}
      role="img"
      aria-label={strings.chartLabel(
        strings.metrics[metric] ?? metric,
        strings.groups[group] ?? group,
        strings.ranges[range] ?? range,
      )}
    />
  )
}
