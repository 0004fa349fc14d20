import type { StatsSeries } from '@svc/views'
import type uPlot from 'uplot'
import type { ChartLine, ChartLines } from '../state/chart-lines.ts'
import { calmMs, zone } from '../state/live-data.ts'
import { statsWords } from '../words/stats-words.ts'
import { findLineStyle } from './line-style.tsx'

interface FillOf {
  readonly colour: string
  readonly page: string
  readonly style: ChartLine['style']
}

/** Share of a line's colour in the area below it. */
const AREA_SHARE = 0.45
/** Side length of a pattern tile, in screen pixels. */
const TILE = 8

/** Opaque fill of an area; a pattern in themes without colours. */
export function areaFill(of: FillOf): string | CanvasPattern {
  return patternOf(of) ?? mixed(of, AREA_SHARE)
}

export function barFill(of: FillOf): string | CanvasPattern {
  return patternOf(of) ?? mixed(of, 0.8)
}

/** Strokes across a tile: a pattern for each style. */
const STROKES: Readonly<Record<ChartLine['style'], readonly (readonly number[])[]>> = {
  1: [],
  2: [[0, 8, 8, 0]],
  3: [[3, 4, 5, 4]],
  4: [[0, 0, 8, 8]],
  5: [[0, 4, 8, 4]],
  6: [[4, 0, 4, 8]],
  7: [
    [0, 8, 8, 0],
    [0, 0, 8, 8],
  ],
  8: [
    [0, 4, 8, 4],
    [4, 0, 4, 8],
  ],
  other: [],
  total: [],
}

function patternOf({ colour, page, style }: FillOf): CanvasPattern | null {
  if (colour !== '#000') return null
  const tile = document.createElement('canvas')
  tile.width = TILE
  tile.height = TILE
  const context = tile.getContext('2d')
  if (context === null) return null
  context.fillStyle = page
  context.fillRect(0, 0, TILE, TILE)
  context.strokeStyle = colour
  for (const [fromX = 0, fromY = 0, toX = 0, toY = 0] of STROKES[style] ?? []) {
    context.moveTo(fromX, fromY)
    context.lineTo(toX, toY)
  }
  context.stroke()
  return context.createPattern(tile, 'repeat')
}

/** A colour mixed with that of the page; both are hexadecimal, with three or six digits. */
function mixed({ colour, page }: FillOf, share: number): string {
  const below = partsOf(page)
  const mix = partsOf(colour).map((part, index) =>
    Math.round(part * share + (below[index] ?? 0) * (1 - share)),
  )
  return `rgb(${mix.join(' ')})`
}

function partsOf(colour: string): readonly number[] {
  const digits = colour.slice(1)
  const six = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits
  return [0, 2, 4].map((at) => Number.parseInt(six.slice(at, at + 2), 16))
}

/** Least width of a gap that has room for words, in CSS pixels. */
const WORDS_WIDTH = 200
/** Space between two lines of the hatching, in CSS pixels. */
const HATCH = 7

/** A range of the canvas without reliable data. */
interface Band {
  readonly left: number
  readonly right: number
}

/** The gaps within a range of the canvas; `toX` maps an instant, in seconds since 1970, to its position. */
export function findGapBands(
  gaps: StatsSeries['coverage']['gaps'],
  { left, right }: Band,
  toX: (seconds: number) => number,
): readonly Band[] {
  return gaps.flatMap(({ start, end }) => {
    const from = Math.max(left, toX(Date.parse(start) / 1000))
    const to = Math.min(right, toX(Date.parse(end) / 1000))
    // Keeps a short gap visible.
    return to < left || from > right || to < from
      ? []
      : [{ left: from, right: Math.min(right, Math.max(to, from + 2)) }]
  })
}

/** Hatches the gaps of a chart, below its lines; words stand for a wide one before anything was kept. */
export function drawGaps(
  plot: uPlot,
  {
    gaps,
    keptSince,
  }: Pick<StatsSeries['coverage'], 'gaps'> & {
    readonly keptSince: StatsSeries['coverage']['since']
  },
  { colour, font }: Look,
): void {
  const { ctx, bbox } = plot
  const step = HATCH * devicePixelRatio
  const area = { left: bbox.left, right: bbox.left + bbox.width }
  const bands = findGapBands(gaps, area, (seconds) => plot.valToPos(seconds, 'x', true))
  const keptMs = keptSince === null ? 0 : Date.parse(keptSince)
  const keptX = plot.valToPos(keptMs / 1000, 'x', true)
  for (const { left, right } of bands) {
    if (right <= keptX + 1 && right - left > WORDS_WIDTH * devicePixelRatio) {
      const words = statsWords.notKeptBefore(zone.value.momentText(keptMs, calmMs.value))
      ctx.save()
      writeIn(ctx, font)
      ctx.fillStyle = colour('--ink3')
      ctx.textAlign = 'center'
      ctx.fillText(words, (left + right) / 2, bbox.top + bbox.height / 2)
      ctx.restore()
      continue
    }
    ctx.save()
    ctx.beginPath()
    ctx.rect(left, bbox.top, right - left, bbox.height)
    ctx.clip()
    ctx.beginPath()
    // Hatching lines have the same positions in every gap, so that two adjacent gaps look like one.
    const first = Math.floor((left - bbox.height) / step) * step
    for (let x = first; x < right; x += step) {
      ctx.moveTo(x, bbox.top + bbox.height)
      ctx.lineTo(x + bbox.height, bbox.top)
    }
    ctx.lineWidth = devicePixelRatio
    ctx.strokeStyle = colour('--edge')
    ctx.globalAlpha = 0.6
    ctx.stroke()
    ctx.restore()
  }
}

/** Width to the right of the dots for their labels, in pixels. */
export const RUNNING_ROOM = 48
const RADIUS = 3.5
const WORDS_AWAY = 9

/** Colours and font of a chart, as the page's styles define them. */
export interface Look {
  readonly colour: (name: string) => string
  readonly font: string
}

/** Sets a font, whose size is in CSS pixels. */
function writeIn(ctx: CanvasRenderingContext2D, font: string): void {
  ctx.font = font.replace(/[\d.]+px/, (px) => `${Number.parseFloat(px) * devicePixelRatio}px`)
}

/** Draws the partial buckets as hollow dots, because the lines leave them out; words stand at the one that is running. */
export function drawPartial(
  plot: uPlot,
  {
    times,
    lines,
    partial,
    runningIndex,
  }: Pick<ChartLines, 'times' | 'lines' | 'partial' | 'runningIndex'>,
  { colour, font }: Look,
): void {
  const { ctx } = plot
  const ratio = devicePixelRatio
  const { min = 0, max = 0 } = plot.scales.x ?? {}
  ctx.save()
  ctx.lineWidth = 1.5 * ratio
  ctx.setLineDash([])
  for (const index of partial) {
    const at = times[index]
    if (at === undefined || at < (min ?? 0) || at > (max ?? 0)) continue
    const x = plot.valToPos(at, 'x', true)
    const dots = lines.flatMap(({ style, counted }) => {
      const value = counted[index] ?? null
      return value === null ? [] : [{ style, y: plot.valToPos(value, 'y', true) }]
    })
    ctx.fillStyle = colour('--page')
    for (const { style, y } of dots) {
      ctx.strokeStyle = colour(findLineStyle(style).colour)
      ctx.beginPath()
      ctx.arc(x, y, RADIUS * ratio, 0, 2 * Math.PI)
      ctx.fill()
      ctx.stroke()
    }
    if (index !== runningIndex || dots.length === 0) continue
    writeIn(ctx, font)
    ctx.fillStyle = colour('--ink3')
    // Overrides the two settings that uPlot has changed for its axes.
    ctx.textAlign = 'left'
    ctx.textBaseline = 'middle'
    ctx.fillText(statsWords.soFar, x + WORDS_AWAY * ratio, Math.min(...dots.map(({ y }) => y)))
  }
  ctx.restore()
}
