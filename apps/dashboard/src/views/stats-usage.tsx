import './stats-usage.css'
import { signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { compactText, countText } from '@svc/views/format'
import { useEffect, useMemo } from 'preact/hooks'
import { Button, TryNow } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Coded } from '../parts/text.tsx'
import { drawUsageChart } from '../parts/usage-chart.ts'
import { askRegularly } from '../state/ask-regularly.ts'
import { buildChartLines, chooseChartForm, measuredIn, metricText } from '../state/chart-lines.ts'
import { statsControls } from '../state/display-state.ts'
import { serverMs, zone } from '../state/live-data.ts'
import { viewHref } from '../state/route.ts'
import { question, series, setSpan } from '../state/usage-question.ts'
import {
  fetchSeries,
  hasFilters,
  isFiltered,
  isWithoutHistory,
  ofProvider,
  relatedMetrics,
  seriesFailed,
  seriesRefused,
  withFilters,
} from '../state/usage-series.ts'
import { priceWords } from '../words/price-words.ts'
import { questionWords } from '../words/question-words.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'
import { durationText } from '../words/times.ts'
import { FailureCauses } from './failure-causes.tsx'
import { Breakdown } from './stats-breakdown.tsx'
import { Chart } from './stats-chart.tsx'
import { Facets } from './stats-facets.tsx'
import { groupText, valueText } from './stats-readings.ts'
import { WeekHours } from './stats-week.tsx'

interface UsageProps {
  readonly drawChart?: typeof drawUsageChart
}

/** Totals, lines and members of the requested usage. */
export function Usage({ drawChart = drawUsageChart }: UsageProps) {
  const now = series.value
  if (seriesRefused.value !== null) return <Refusal />
  if (now === null) return null
  if (!now.available)
    return (
      <p class="empty">
        <Coded text={isWithoutHistory.value ? statsWords.noHistory : statsWords.noRows} />
        {isWithoutHistory.value && (
          <>
            {strings.gap}
            <a href={viewHref('health')}>{statsWords.toHealth}</a>
          </>
        )}
      </p>
    )
  if (now.totals.requests === 0) return <p class="empty">{statsWords.noRows}</p>
  return <Charts now={now} drawChart={drawChart} />
}

/** Why nothing answers, with a button that shortens the time to one that is answered. */
function Refusal() {
  if (seriesRefused.value === null) return null
  const { status, longestFrom = null } = seriesRefused.value
  return (
    <p class="empty">
      {questionWords.refused[status] ?? strings.chartFailed}{' '}
      {longestFrom !== null && (
        <Button onClick={() => setSpan(longestFrom, question.value.to)}>
          {questionWords.shorten(zone.value.momentText(Date.parse(longestFrom), serverMs.value))}
        </Button>
      )}
    </p>
  )
}

function Charts({ now, drawChart }: Required<UsageProps> & { readonly now: StatsSeries }) {
  const { totals } = now
  const { form } = statsControls.value
  const chart = useMemo(() => buildChartLines(now, chooseChartForm(now, form)), [now, form])
  const measured = measuredIn(now, totals)
  return (
    <>
      {seriesFailed.value && (
        <p class="banner warn" role="status">
          <Icon name="warn" tone="warn" /> {keptText(now)} <TryNow />
        </p>
      )}
      <p class="totals">
        {now.query.metric === 'cost' && measured !== null && (
          <span>
            {strings.metrics.cost} <b>{valueText(now, chart, measured)}</b>
          </span>
        )}
        <span>
          <b>{compactText(totals.tokens)}</b> {statsWords.tokensWord}
        </span>
        <span>
          <b>{countText(totals.requests)}</b> {statsWords.requestsWord}
        </span>
        <span class={totals.failing ? 'failing' : undefined}>
          {totals.failing && <Icon name="warn" tone="warn" />} <b>{totals.failureRateText}</b>{' '}
          {statsWords.failedWord}
        </span>
        <SinceNote now={now} />
      </p>
      <Facts now={now} />
      {now.query.compare && <Change now={now} />}
      <div class="with-facets">
        <div>
          {measured === null ? (
            <p class="empty">
              {now.notOffered === undefined
                ? statsWords.notTold
                : statsWords.notOffered[now.notOffered]}
            </p>
          ) : (
            <Chart now={now} chart={chart} drawChart={drawChart} />
          )}
        </div>
        <Breakdown now={now} chart={chart} />
        <Facets now={now} />
      </div>
      <FailureCauses now={now} />
      {now.query.metric === 'cost' && <CostNote now={now} />}
      <Coverage now={now} />
      {!isFiltered.value && <WeekHours />}
    </>
  )
}

/** Names the chart that is still shown because the request for another one failed. */
function keptText({ query: { range, group }, range: { end } }: StatsSeries): string {
  if (end === null) return strings.chartFailed
  return statsWords.chartKept(
    strings.ranges[range] ?? range,
    groupText(group),
    zone.value.momentText(Date.parse(end), serverMs.value),
  )
}

/** Start of the range. It falls on a bucket, so it is slightly earlier than the range's name suggests. */
function SinceNote({ now: { query, range, bucketSeconds } }: { readonly now: StatsSeries }) {
  if (range.start === null || range.end === null) return null
  const from = zone.value.momentText(Date.parse(range.start), Date.parse(range.end))
  const notes = [
    statsWords.sinceNote(from, bucketSeconds),
    ...(query.coarser ? [questionWords.coarser] : []),
    ...(query.widened ? [questionWords.widened] : []),
  ]
  return <span class="dim">{notes.join(' · ')}</span>
}

/** Change against the previous period. */
function Change({ now }: { readonly now: StatsSeries }) {
  const { previous } = now
  if (previous === null) return <p class="dim">{statsWords.notCompared}</p>
  const since = zone.value.momentText(Date.parse(previous.start), serverMs.value)
  return (
    <p class="change">
      {previous.changePercent === null
        ? statsWords.changeUnknown(since)
        : statsWords.change(metricText(now), previous.changePercent, since)}
    </p>
  )
}

/** Whose prices a cost is at, and what no record tells. */
function CostNote({ now: { priceSource } }: { readonly now: StatsSeries }) {
  const read = priceSource && zone.value.momentText(Date.parse(priceSource.readAt), serverMs.value)
  return (
    <p class="cost-note dim small">
      {priceWords.note(
        read === null || priceSource == null ? null : priceWords.file(priceSource.kind, read ?? ''),
      )}{' '}
      <a href={viewHref('prices')}>{strings.viewTitles.prices}</a>
    </p>
  )
}

/** Text on the coverage of the shown range. */
function Coverage({ now: { range, coverage } }: { readonly now: StatsSeries }) {
  const { since, percent, missedSeconds, gaps } = coverage
  if (since === null || range.end === null) return null
  const [sinceMs, nowMs] = [Date.parse(since), Date.parse(range.end)]
  const kept = statsWords.keptSince(
    zone.value.momentText(sinceMs, nowMs),
    durationText((nowMs - sinceMs) / 1000),
  )
  const missed =
    percent === null || missedSeconds === 0
      ? statsWords.nothingMissed
      : statsWords.missed(percent, durationText(missedSeconds))
  return (
    <p class="coverage dim">
      {[kept, missed, ...(gaps.length > 0 ? [statsWords.hatched] : [])].join(strings.gap)}
    </p>
  )
}

/** Usage of a range in the metrics that explain the chosen one; empty before the first answers. */
export const facts = signal<readonly StatsSeries[]>([])

const REFRESH_MS = 60_000

/**
 * Requests the totals of these metrics now, and regularly while the page is visible; the last ones stay if the monitor does not answer, which is said
 * beside the chart. The returned function ends this. `bucket` is the chart's, so
 * that both ranges begin at the same time.
 */
function followFacts(
  of: Pick<StatsSeries['query'], 'range' | 'bucket'>,
  metrics: readonly string[],
): () => void {
  return askRegularly((signalToStop) => load(of, metrics, signalToStop), REFRESH_MS)
}

async function load(
  { range, bucket }: Pick<StatsSeries['query'], 'range' | 'bucket'>,
  metrics: readonly string[],
  signalToStop: AbortSignal,
): Promise<void> {
  const { from, to } = question.value
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
}

/**
 * Totals that explain the chart's metric: kinds of tokens, times, or failures by cause. Their space is reserved before they arrive, so that the chart
 * does not move.
 */
export function Facts({ now }: { readonly now: StatsSeries }) {
  const { range, bucket, metric, provider } = now.query
  const wanted = relatedMetrics(metric)
  useEffect(
    () => followFacts({ range, bucket }, wanted),
    [range, bucket, wanted.join(), provider, question.value],
  )
  const known = facts.value.filter(
    ({ query, totals }, index) =>
      query.range === range &&
      query.bucket === bucket &&
      query.provider === provider &&
      hasFilters({ query }, question.value) &&
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
          {statsWords.otherLine} <b>{rest}</b>
        </span>
      )}
    </p>
  )
}

/** Failures with another or an unknown cause; null unless all totals are failures by cause. */
function otherFailures(known: readonly StatsSeries[], count: number): number | null {
  const [first] = known
  if (first === undefined || known.length < count || !first.query.metric.startsWith('failed'))
    return null
  return Math.max(
    0,
    known.reduce((left, { totals }) => left - (totals.value ?? 0), first.totals.failed),
  )
}
