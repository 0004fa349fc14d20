import { useComputed, useSignalEffect } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { sliderSteps } from '../parts/slider-keys.ts'
import type { drawUsageChart, UsageChart } from '../parts/usage-chart.ts'
import { type ChartLines, chartLinesOf } from '../state/chart-lines.ts'
import {
  cursor,
  highlighted,
  isolated,
  moveCursor,
  resetChartView,
  zoom,
  zoomBy,
  zoomTo,
} from '../state/chart-view.ts'
import { privacy, theme } from '../state/display-state.ts'
import { strings } from '../words/strings.ts'
import { bucketText, ChartLegend, readingText } from './stats-legend.tsx'
import { ChartTable } from './stats-table.tsx'

export interface ChartProps {
  readonly now: StatsSeries
  readonly drawChart: typeof drawUsageChart
}

/** The chart, its legend, and the same data as a table. */
export function Chart({ now, drawChart }: ChartProps) {
  const { metric, mode, range, group } = now.query
  const chart = useMemo(() => chartLinesOf(now), [now])
  const lines = { now, chart }
  useEffect(() => resetChartView, [range, group])
  const unit = strings.chartUnits[metric] ?? metric
  const per = mode === 'rate' ? strings.perMinute : strings.perBucket(now.bucketSeconds)
  return (
    <>
      <div class="chart-head">
        <p class="dim">{strings.chartUnit(unit, per)}</p>
        <ZoomButtons chart={chart} />
      </div>
      <div class="chart-and-legend">
        <Plot {...lines} drawChart={drawChart} />
        <ChartLegend {...lines} />
      </div>
      <ChartTable {...lines} />
    </>
  )
}

function ZoomButtons({ chart: { times } }: { readonly chart: ChartLines }) {
  const isZoomed = zoom.value !== null
  const buttons = [
    { text: strings.zoomIn, isOff: false, act: () => zoomBy(0.5, times.length) },
    { text: strings.zoomOut, isOff: !isZoomed, act: () => zoomBy(2, times.length) },
    {
      text: strings.wholeRange,
      isOff: !isZoomed,
      act: () => {
        zoom.value = null
      },
    },
  ]
  return (
    <div class="zoom" role="group" aria-label={strings.zoom}>
      {buttons.map(({ text, isOff, act }) => (
        <button
          key={text}
          type="button"
          class="button"
          aria-disabled={isOff}
          onClick={isOff ? undefined : act}
        >
          {text}
        </button>
      ))}
    </div>
  )
}

interface PlotProps extends ChartProps {
  readonly chart: ChartLines
}

/** The drawn chart. For the keyboard it is a slider over its buckets that reads out their numbers. */
function Plot({ now, chart, drawChart }: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<UsageChart | null>(null)
  const { metric, group, range } = now.query
  const count = chart.times.length
  // Colours are read from the page, so a new theme redraws the chart; so does hiding names.
  const look = `${document.documentElement.dataset.theme ?? ''} ${theme.value} ${privacy.value}`
  const shown = useComputed(() => ({
    isolated: isolated.value,
    highlighted: highlighted.value,
    cursor: cursor.value,
    zoom: zoom.value,
  }))
  useEffect(() => {
    if (box.current === null) return
    drawn.current?.destroy()
    drawn.current = drawChart(box.current, {
      ...chart,
      bucketSeconds: now.bucketSeconds,
      gaps: now.coverage.gaps,
      onPoint: (index) => {
        cursor.value = index
      },
      onDrag: (one, other) => zoomTo(one, other, count),
    })
    drawn.current.look(shown.peek())
  }, [chart, look])
  useSignalEffect(() => drawn.current?.look(shown.value))
  useEffect(() => () => drawn.current?.destroy(), [])
  return (
    <div
      class="usage-chart"
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={strings.chartLabel(
        strings.metrics[metric] ?? metric,
        strings.groups[group] ?? group,
        strings.ranges[range] ?? range,
      )}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, count - 1)}
      aria-valuenow={cursor.value ?? Math.max(0, count - 1)}
      aria-valuetext={
        cursor.value === null
          ? strings.wholeRange
          : strings.reading(
              bucketText(now, chart, cursor.value),
              readingText(now, chart, cursor.value),
            )
      }
      onKeyDown={(event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return
        if (actOn(event.key, count)) event.preventDefault()
      }}
    />
  )
}

/** Performs the chart's action for a key; false if the key has none. */
function actOn(key: string, count: number): boolean {
  const steps = sliderSteps(key)
  if (steps !== undefined) moveCursor(steps, count)
  else if (key === '+' || key === '=') zoomBy(0.5, count)
  else if (key === '-') zoomBy(2, count)
  else if (key === 'Escape') {
    if (zoom.value === null && cursor.value === null && isolated.value === null) return false
    resetChartView()
  } else return false
  return true
}
