import type { StatsSeries } from '@svc/views'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { compactText, roundInstants } from '@svc/views/format'
import { zone } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

export interface UsageChart {
  destroy(): void
}

/** Dash and width of each line, so that it is known without its colour. */
const LINES: readonly {
  readonly colour: string
  readonly dash: number[]
  readonly width: number
}[] = [
  { colour: '--series-1', dash: [], width: 1.75 },
  { colour: '--series-2', dash: [7, 3], width: 1.75 },
  { colour: '--series-3', dash: [2, 3], width: 2.5 },
  { colour: '--series-4', dash: [9, 3, 2, 3], width: 1.75 },
  { colour: '--series-5', dash: [], width: 1 },
]
const HEIGHT = 290
const HEIGHT_SMALL = 220

/** Draws the lines of a chart into a box. `shown` words a name for the screen, `Plot` is the library that draws. */
export function drawUsageChart(
  box: HTMLElement,
  now: StatsSeries,
  shown: (text: string) => string,
  Plot: typeof uPlot = uPlot,
): UsageChart {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const look = { colour, font: `12px ${style.getPropertyValue('--sans')}` }
  const { metric, mode } = now.query
  const perMinute = mode === 'rate' ? 60 / now.bucketSeconds : 1
  const lines = now.series.map((line) => ({
    label: shown(line.label),
    drawn:
      (metric === 'tokens' ? line.smoothTokens : line.smoothRequests) ??
      line.points.map((point) => point[metric === 'tokens' ? 'tokens' : 'requests'] * perMinute),
    exact: line.points.map((point) => (metric === 'tokens' ? point.tokenText : point.requestText)),
  }))
  const times = (now.series[0]?.points ?? []).map(({ t }) => Date.parse(t) / 1000)
  const readout = createReadout()

  const plot = new Plot(
    {
      width: box.clientWidth,
      height: innerWidth < 700 ? HEIGHT_SMALL : HEIGHT,
      legend: { show: false },
      padding: [12, 0, 0, 0],
      cursor: {
        y: false,
        drag: { x: false, y: false },
        points: { size: 8, width: 2, fill: colour('--page') },
      },
      scales: { x: { time: false }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.05 : 1] } },
      axes: axesOf(now, box, look),
      series: [{}, ...lines.map(({ label }, index) => strokeOf(label, index, look))],
      hooks: {
        setCursor: [
          (self) => {
            const index = self.cursor.idx
            if (index === null || index === undefined) return readout.hide()
            readout.show(
              rangeText(times[index] ?? 0, now.bucketSeconds),
              lines.map(({ label, exact }) => [label, exact[index] ?? ''] as const),
              (self.cursor.left ?? 0) > self.over.clientWidth / 2,
            )
          },
        ],
      },
    },
    [times, ...lines.map(({ drawn }) => [...drawn])],
    box,
  )
  box.append(readout.element)
  const resize = new ResizeObserver(() =>
    plot.setSize({ width: box.clientWidth, height: plot.height }),
  )
  resize.observe(box)
  return {
    destroy() {
      resize.disconnect()
      plot.destroy()
      readout.element.remove()
    },
  }
}

interface Look {
  /** Value of a colour of the page. */
  readonly colour: (name: string) => string
  readonly font: string
}

/** Time below, days where a bucket is longer than a quarter of an hour; amounts on the left. */
function axesOf({ bucketSeconds }: StatsSeries, box: HTMLElement, look: Look): uPlot.Axis[] {
  const textOf = (ms: number) =>
    bucketSeconds > 900 ? zone.value.dayAndDateText(ms) : zone.value.clockText(ms)
  const common = { stroke: look.colour('--ink3'), font: look.font, ticks: { show: false } }
  return [
    {
      ...common,
      grid: { show: false },
      size: 28,
      splits: (_, __, min, max) => timeSplits(min, max, box.clientWidth),
      values: (_, splits) => splits.map((at) => textOf(at * 1000)),
    },
    {
      ...common,
      size: 56,
      grid: { stroke: look.colour('--rule'), width: 1, dash: [2, 3] },
      values: (_, splits) =>
        splits.map((value) => (value === 0 ? '' : compactText(value).replace('.0', ''))),
    },
  ]
}

function strokeOf(label: string, index: number, { colour }: Look): uPlot.Series {
  const line = LINES[Math.min(index, LINES.length - 1)] ?? {
    colour: '--ink',
    dash: [],
    width: 1,
  }
  return {
    label,
    stroke: colour(line.colour),
    dash: line.dash,
    width: line.width,
    points: { show: false },
  }
}

function rangeText(seconds: number, bucketSeconds: number): string {
  const from = seconds * 1000
  const to = from + bucketSeconds * 1000
  return bucketSeconds < 86_400
    ? `${zone.value.dayAndDateText(from)}, ${zone.value.clockText(from)} – ${zone.value.clockText(to)}`
    : zone.value.dayAndDateText(from)
}

/** Round instants, as many as there is room for. */
function timeSplits(min: number, max: number, width: number): number[] {
  const most = Math.max(2, Math.floor(width / 90))
  const steps = [
    300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400, 172_800, 345_600,
    604_800, 1_209_600, 2_592_000, 7_776_000,
  ]
  const every = steps.find((step) => (max - min) / step <= most) ?? 31_536_000
  return roundInstants(zone.value, every * 1000, min * 1000, max * 1000 + 1).map((ms) => ms / 1000)
}

/** The values under the cursor. */
function createReadout() {
  const element = document.createElement('div')
  element.className = 'readout'
  element.hidden = true
  return {
    element,
    hide() {
      element.hidden = true
    },
    show(
      title: string,
      rows: readonly (readonly [label: string, value: string])[],
      onLeft: boolean,
    ) {
      const head = document.createElement('p')
      head.textContent = title
      const list = document.createElement('dl')
      for (const [index, [label, value]] of rows.entries()) {
        const row = document.createElement('div')
        const name = document.createElement('dt')
        const text = document.createElement('dd')
        name.textContent = label === '' ? strings.all : label
        name.className = `name swatch-${Math.min(index, LINES.length - 1) + 1}`
        text.textContent = value
        row.append(name, text)
        list.append(row)
      }
      element.replaceChildren(head, list)
      element.classList.toggle('on-left', onLeft)
      element.hidden = false
    },
  }
}
