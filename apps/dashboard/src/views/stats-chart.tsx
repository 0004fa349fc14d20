import { batch, useSignalEffect } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, setter } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { sliderSteps } from '../parts/slider.ts'
import { Name } from '../parts/text.tsx'
import type { drawUsageChart, UsageChart } from '../parts/usage-chart.ts'
import {
  addsUp,
  type ChartLines,
  drawnLines,
  drawnPreviousLines,
  metricText,
} from '../state/chart-lines.ts'
import {
  type Buckets,
  cursor,
  highlighted,
  isolated,
  moveCursor,
  resetChartView,
  visibleIn,
  zoomBy,
  zoomTo,
} from '../state/chart-view.ts'
import { privacy, theme, zoom } from '../state/display-state.ts'
import { isDimension, question } from '../state/usage-question.ts'
import { addFilter } from '../state/usage-series.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'
import {
  axisText,
  bucketText,
  groupText,
  lineName,
  readingText,
  shownLines,
  valueText,
} from './stats-readings.ts'

interface ShownChart {
  readonly now: StatsSeries
  readonly chart: ChartLines
}

interface ChartProps extends ShownChart {
  readonly drawChart: typeof drawUsageChart
}

/** The chart with the reading under its cursor, and the same data as a table. */
export function Chart({ now, chart, drawChart }: ChartProps) {
  const { range, group } = now.query
  useEffect(() => resetChartView, [])
  // Other lines, or other buckets: what was picked of the former ones means nothing. The zoom is a span of time and stays.
  useEffect(
    () => () => {
      isolated.value = null
      highlighted.value = null
    },
    [range, group, question.value],
  )
  useEffect(() => setter(cursor, null), [range, group, question.value, now.bucketSeconds])
  return (
    <>
      <div class="chart-head">
        <p class="dim">{unitText(now, chart)}</p>
        <Reading now={now} chart={chart} />
      </div>
      <Plot now={now} chart={chart} drawChart={drawChart} />
      <ChartTable now={now} chart={chart} />
    </>
  )
}

function unitText(now: StatsSeries, { form }: ChartLines): string {
  const { query, bucketSeconds } = now
  const unit = metricText(now)
  if (form === 'bar') return statsWords.failedShare(unit, bucketSeconds)
  if (!addsUp(now)) return statsWords.chartUnitBy(unit, bucketSeconds)
  const per = query.mode === 'rate' ? statsWords.perMinute : statsWords.perBucket(bucketSeconds)
  return statsWords.chartUnit(unit, per)
}

/** The bucket under the cursor with its total, or the button that ends a zoom. */
function Reading({ now, chart }: ShownChart) {
  const at = cursor.value
  return (
    <p class="chart-reading">
      {at !== null && (
        <span>
          {bucketText(now, chart, at)}{' '}
          <b>{valueText(now, chart, chart.total.counted[at] ?? null)}</b>
        </span>
      )}
      {zoom.value !== null && (
        <Button onClick={setter(zoom, null)}>
          {statsWords.wholeRange} <Icon name="close" />
        </Button>
      )}
    </p>
  )
}

/** Counts only the member, or the two members, of a line; a line of several has none. */
function countOnly({ query: { group }, series }: StatsSeries, lineId: string): void {
  const line = series.find(({ id }) => id === lineId)
  if (line === undefined) return
  const members = line.members ?? [{ group, id: line.id }]
  batch(() => {
    for (const member of members)
      if (isDimension(member.group) && member.id !== '') addFilter(member.group, member.id)
  })
}

/** Maximum number of lines of a chart without sums that are drawn in full colour. */
const MUTED_FROM = 3

/** The drawn chart. For the keyboard it is a slider over its buckets that reads out their numbers. */
function Plot({ now, chart, drawChart }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<UsageChart | null>(null)
  const { metric, group, range } = now.query
  const buckets = { times: chart.times, bucketSeconds: now.bucketSeconds }
  const count = chart.times.length
  // Lines that cross each other are told apart one at a time.
  const isMuted = !addsUp(now) && chart.lines.length > MUTED_FROM
  // Colours are read from the page, so a new theme redraws the chart; so does hiding names.
  const colours = `${document.documentElement.dataset.theme ?? ''} ${theme.value} ${privacy.value}`
  const latest = useRef(buckets)
  latest.current = buckets
  const lookNow = () => ({
    highlighted: highlighted.value,
    cursor: cursor.value,
    ...visibleIn(latest.current),
  })
  useEffect(() => {
    if (box.current === null) return
    drawn.current?.destroy()
    drawn.current = drawChart(box.current, {
      form: chart.form,
      partial: chart.partial,
      runningIndex: chart.runningIndex,
      lines: drawnLines(chart, isolated.value, isMuted),
      isMuted: isMuted && isolated.value === null,
      ghosts: drawnPreviousLines(chart, isolated.value),
      ...buckets,
      gaps: now.coverage.gaps,
      keptSince: now.coverage.since,
      axisText: (value) => axisText(now, chart, value),
      onPoint: (index) => {
        cursor.value = index
      },
      onDrag: (one, other) => zoomTo(one, other, buckets),
      onLine: (id) => countOnly(now, id),
    })
    drawn.current.look(lookNow())
  }, [chart, colours, isolated.value])
  useSignalEffect(() => drawn.current?.look(lookNow()))
  useEffect(() => () => drawn.current?.destroy(), [])
  return (
    <div
      class="usage-chart"
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={statsWords.chartLabel(
        strings.metrics[metric] ?? metric,
        groupText(group),
        strings.ranges[range] ?? range,
      )}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, count - 1)}
      aria-valuenow={cursor.value ?? Math.max(0, count - 1)}
      aria-valuetext={
        cursor.value === null
          ? statsWords.wholeRange
          : strings.reading(
              bucketText(now, chart, cursor.value),
              readingText(now, chart, cursor.value),
            )
      }
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return
        if (actOn(event.key, buckets)) event.preventDefault()
      }}
    />
  )
}

/** Performs the chart's action for a key; false if the key has none. */
function actOn(key: string, buckets: Buckets): boolean {
  const steps = sliderSteps(key)
  if (steps !== undefined) moveCursor(steps, buckets)
  else if (key === '+' || key === '=') zoomBy(0.5, buckets)
  else if (key === '-') zoomBy(2, buckets)
  else if (key === 'Escape') {
    if (zoom.value === null && cursor.value === null && isolated.value === null) return false
    resetChartView()
  } else return false
  return true
}

/** The chart as a table of the visible lines and buckets, newest first. */
function ChartTable(props: ShownChart) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{statsWords.chartAsTable}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
        <div class="scrolls" role="region" tabIndex={0} aria-label={statsWords.chartAsTable}>
          <Numbers {...props} />
        </div>
      )}
    </details>
  )
}

function Numbers({ now, chart }: ShownChart) {
  const lines = [...shownLines(chart), chart.total]
  const { first, last } = visibleIn({ ...chart, ...now })
  const indexes = Array.from({ length: last - first + 1 }, (_, index) => last - index)
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{statsWords.bucketHead}</th>
          {lines.map((line) => (
            <th key={line.id} scope="col" class="number">
              <Name text={lineName(line)} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {indexes.map((index) => (
          <tr key={index}>
            <th scope="row">{bucketText(now, chart, index)}</th>
            {lines.map(({ id, counted }) => (
              <td key={id} class="number">
                {valueText(now, chart, counted[index] ?? null)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
