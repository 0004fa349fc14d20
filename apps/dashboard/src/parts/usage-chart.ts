import type { StatsSeries } from '@svc/views'
import { roundInstants } from '@svc/views/format'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { ChartForm, ChartLine, ChartLines } from '../state/chart-lines.ts'
import { zone } from '../state/live-data.ts'
import { findLineStyle } from './line-style.tsx'
import {
  areaFill,
  barFill,
  drawGaps,
  drawPartial,
  type Look,
  RUNNING_ROOM,
} from './usage-chart-layers.ts'

/** Content of a chart, and its pointer callbacks. */
export interface ChartModel
  extends Pick<ChartLines, 'form' | 'times' | 'partial' | 'runningIndex'> {
  /** The visible lines as drawn, lowest first. */
  readonly lines: readonly ChartLine[]
  readonly ghosts: readonly ChartLine[]
  /** Whether only the total and the highlighted line are drawn in full colour. */
  readonly isMuted: boolean
  readonly bucketSeconds: number
  readonly axisText: (value: number) => string
  readonly gaps: StatsSeries['coverage']['gaps']
  /** Instant since which usage is kept; null if it is unknown. */
  readonly keptSince: StatsSeries['coverage']['since']
  /** Called with the bucket under the pointer, and with null when the pointer leaves. */
  readonly onPoint: (index: number | null) => void
  /** Called with the first and the last bucket of a drag. */
  readonly onDrag: (one: number, other: number) => void
  /** Called with the line that was clicked. */
  readonly onLine: (id: string) => void
}

/** View state of a chart: everything except the lines. */
export interface ChartLook {
  readonly highlighted: string | null
  readonly cursor: number | null
  /** The first and the last visible bucket. */
  readonly first: number
  readonly last: number
}

export interface UsageChart {
  look(look: ChartLook): void
  destroy(): void
}

const HEIGHT = 360
const HEIGHT_SMALL = 240
/** Opacity of all other lines while one is highlighted. */
const FADED = 0.25

/** Draws the lines of a chart into a box. `Plot` is the class of the drawing library. */
export function drawUsageChart(
  box: HTMLElement,
  model: ChartModel,
  Plot: typeof uPlot = uPlot,
): UsageChart {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const look = { colour, font: `12px ${style.getPropertyValue('--sans')}` }
  const { times, form, ghosts } = model
  // What is stacked is drawn over what reaches above it.
  const lines = form === 'line' ? model.lines : model.lines.toReversed()
  const dots = createDots(lines)
  let shown: ChartLook | null = null
  // True while the page itself moves the cursor, which must not be reported as a pointer event.
  let isSteered = true
  const plot = new Plot(
    {
      width: box.clientWidth,
      height: innerWidth < 700 ? HEIGHT_SMALL : HEIGHT,
      legend: { show: false },
      padding: [12, model.runningIndex === null ? 18 : RUNNING_ROOM, 0, 0],
      cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
      scales: {
        x: { time: false },
        y: { range: (_, __, max) => rangeUpTo(Math.max(max, countedMost(model, shown))) },
      },
      // The grid stays visible on areas.
      drawOrder: (form === 'area'
        ? ['series', 'axes']
        : ['axes', 'series']) as uPlot.DrawOrderKey[],
      axes: axesOf(model, box, look),
      series: [
        {},
        ...lines.map((line) => ({ ...strokeOf(line, look), ...fillOf(line, form, look) })),
        ...ghosts.map((line) => ghostOf(line, look)),
      ],
      hooks: {
        drawClear: [(self) => drawGaps(self, model, look)],
        draw: [(self) => drawPartial(self, model, look)],
        setCursor: [
          (self) => {
            const index = self.cursor.idx ?? null
            dots.place(self, index)
            if (isSteered) return
            model.onPoint(index)
            self.over.style.cursor = lineUnder(self, model) === undefined ? '' : 'pointer'
          },
        ],
        setSelect: [(self) => tellDrag(self, model)],
      },
    },
    [[...times], ...[...lines, ...ghosts].map(({ drawn }) => [...drawn])],
    box,
  )
  followTouch(plot)
  plot.over.addEventListener('click', (event) => {
    // A touch only moves the cursor.
    const line =
      (event as PointerEvent).pointerType === 'touch' ? undefined : lineUnder(plot, model)
    if (line !== undefined) model.onLine(line.id)
  })
  const resize = new ResizeObserver(() =>
    plot.setSize({ width: box.clientWidth, height: plot.height }),
  )
  resize.observe(box)
  return {
    look(next) {
      isSteered = true
      const before = shown
      shown = next
      if (isDrawnOtherwise(before, next))
        plot.batch(() => showLines(plot, { ...model, lines }, next))
      if (next.cursor !== (plot.cursor.idx ?? null)) {
        const at = next.cursor === null ? undefined : times[next.cursor]
        plot.setCursor({ left: at === undefined ? -10 : plot.valToPos(at, 'x'), top: 10 })
      }
      isSteered = false
    },
    destroy() {
      resize.disconnect()
      plot.destroy()
    },
  }
}

/** Moves the cursor for touch as well, because uPlot listens only to a mouse. */
function followTouch(plot: uPlot): void {
  plot.over.addEventListener('pointermove', ({ pointerType, offsetX: left, offsetY: top }) => {
    if (pointerType !== 'mouse') plot.setCursor({ left, top })
  })
}

/** Farthest that a click is from a line that it means, in pixels. */
const REACH_PX = 10

/** The line, or the area or bar, under the pointer. */
function lineUnder(plot: uPlot, { form, lines }: Pick<ChartModel, 'form' | 'lines'>) {
  const { idx, top = -1 } = plot.cursor
  if (idx == null || top < 0) return undefined
  const places = lines.flatMap((line) => {
    const value = line.drawn[idx] ?? null
    return value === null ? [] : [{ line, below: top - plot.valToPos(value, 'y') }]
  })
  // What is stacked reaches down to what lies under it.
  const found =
    form === 'line'
      ? places.toSorted((one, other) => Math.abs(one.below) - Math.abs(other.below))
      : places.filter(({ below }) => below >= 0).toSorted((one, other) => one.below - other.below)
  const [nearest] = found
  if (nearest === undefined || (form === 'line' && Math.abs(nearest.below) > REACH_PX))
    return undefined
  // Neither the total nor the rest is a member.
  return typeof nearest.line.style === 'number' ? nearest.line : undefined
}

/** Reports the dragged buckets and clears the selection. */
function tellDrag(plot: uPlot, { onDrag }: ChartModel): void {
  const { left, width } = plot.select
  if (width === 0) return
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  onDrag(plot.posToIdx(left), plot.posToIdx(left + width))
}

function isDrawnOtherwise(before: ChartLook | null, next: ChartLook): boolean {
  return (
    before === null ||
    before.highlighted !== next.highlighted ||
    before.first !== next.first ||
    before.last !== next.last
  )
}

function showLines(
  plot: uPlot,
  { lines, ghosts, times, form, isMuted, bucketSeconds }: ChartModel,
  { highlighted, first, last }: ChartLook,
): void {
  for (const [index, { id, style }] of [...lines, ...ghosts].entries()) {
    const series = plot.series[index + 1]
    const isFull = id === highlighted || (isMuted ? style === 'total' : highlighted === null)
    if (series !== undefined) series.alpha = isFull ? 1 : FADED
  }
  const min = times[first] ?? 0
  // The last bar stands beside the start of its bucket.
  const max = (times[last] ?? 0) + (form === 'bar' ? bucketSeconds : 0)
  plot.setScale('x', { min, max })
}

/** Largest counted value of the visible lines; smoothed lines never exceed it. */
function countedMost({ lines }: ChartModel, shown: ChartLook | null): number {
  const { first, last } = shown ?? { first: 0, last: Number.POSITIVE_INFINITY }
  const values = lines.flatMap(({ counted }) => counted.slice(first, last + 1))
  return Math.max(0, ...values.map((value) => value ?? 0))
}

function rangeUpTo(most: number): [from: number, to: number] {
  return [0, most > 0 ? most * 1.05 : 1]
}

const DAY_MS = 86_400_000

/** Times below, with the day where one begins; amounts on the left. */
function axesOf({ axisText }: ChartModel, box: HTMLElement, look: Look): uPlot.Axis[] {
  const textOf = (ms: number) =>
    (ms + zone.value.offsetMs(ms)) % DAY_MS === 0
      ? zone.value.dayAndDateText(ms)
      : zone.value.clockText(ms)
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
      size: 60,
      // Room for a dot on the axis.
      gap: 10,
      grid: { stroke: look.colour('--rule'), width: 1, dash: [2, 3] },
      values: (_, splits) => splits.map(axisText),
    },
  ]
}

function strokeOf({ style, drawn }: ChartLine, { colour }: Look): uPlot.Series {
  const line = findLineStyle(style)
  const alone = lonelyPoints(drawn)
  return {
    stroke: colour(line.colour),
    dash: [...line.dash],
    width: line.width,
    points: { show: alone.length > 0, size: 5, filter: () => [...alone] },
  }
}

function fillOf(
  { style }: ChartLine,
  form: ChartForm,
  { colour }: Look,
): Pick<uPlot.Series, 'fill' | 'paths' | 'dash' | 'points'> {
  if (form === 'line') return {}
  const of = { colour: colour(findLineStyle(style).colour), page: colour('--page'), style }
  if (form === 'area') return { fill: () => areaFill(of) }
  const paths = uPlot.paths.bars?.({ size: [0.8, 64], align: 1 })
  return { fill: () => barFill(of), dash: [], points: { show: false }, ...(paths && { paths }) }
}

/** Line of the previous period, thin and dotted. */
function ghostOf(line: ChartLine, look: Look): uPlot.Series {
  return { ...strokeOf(line, look), dash: [2, 4], width: 1 }
}

/** Indexes of values between two gaps, through which no line is drawn. */
function lonelyPoints(values: ChartLine['drawn']): readonly number[] {
  const isKnown = (index: number) => (values[index] ?? null) !== null
  return values.flatMap((_, index) =>
    isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1) ? [index] : [],
  )
}

/** Creates dots at the counted values, which the readout shows whether the line is smoothed or not. */
function createDots(lines: readonly ChartLine[]) {
  const dots = lines.map(({ style }) => {
    const dot = document.createElement('span')
    dot.className = 'chart-dot'
    dot.style.borderColor = `var(${findLineStyle(style).colour})`
    return dot
  })
  return {
    place(plot: uPlot, index: number | null): void {
      if (dots[0]?.parentNode !== plot.over) plot.over.append(...dots)
      for (const [order, { counted }] of lines.entries()) {
        const dot = dots[order]
        const value = index === null ? null : (counted[index] ?? null)
        if (dot === undefined) continue
        dot.hidden = value === null
        if (value === null || index === null) continue
        dot.style.left = `${plot.valToPos(plot.data[0]?.[index] ?? 0, 'x')}px`
        dot.style.top = `${Math.max(0, plot.valToPos(value, 'y'))}px`
      }
    },
  }
}

/** Width of a time label with the space beside it. */
const LABEL_PX = 68

/** Round instants for the time axis, as many as fit. */
function timeSplits(min: number, max: number, width: number): number[] {
  const most = Math.max(2, Math.floor(width / LABEL_PX))
  const steps = [
    300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400, 172_800, 345_600,
    604_800, 1_209_600, 2_592_000, 7_776_000,
  ]
  const every = steps.find((step) => (max - min) / step <= most) ?? 31_536_000
  return roundInstants(zone.value, every * 1000, min * 1000, max * 1000 + 1).map((ms) => ms / 1000)
}
