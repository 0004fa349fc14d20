import type uPlot from 'uplot'
import type { ChartLines } from '../state/chart-lines.ts'
import { strings } from '../words/strings.ts'
import { lineStyleOf } from './line-styles.ts'

/** Width to the right of the dots for their labels, in pixels. */
export const RUNNING_ROOM = 48
const RADIUS = 3.5
const WORDS_AWAY = 9

/** Colours and font of a chart, as the page's styles define them. */
interface Look {
  readonly colour: (name: string) => string
  readonly font: string
}

/** Draws the running bucket as hollow dots, because the lines end before it. */
export function drawRunning(
  plot: uPlot,
  { times, lines, runningIndex }: Pick<ChartLines, 'times' | 'lines' | 'runningIndex'>,
  { colour, font }: Look,
): void {
  const at = runningIndex === null ? undefined : times[runningIndex]
  if (runningIndex === null || at === undefined || at > (plot.scales.x?.max ?? 0)) return
  const { ctx } = plot
  const ratio = devicePixelRatio
  const x = plot.valToPos(at, 'x', true)
  const dots = lines.flatMap(({ style, counted }) => {
    const value = counted[runningIndex] ?? null
    return value === null ? [] : [{ style, y: plot.valToPos(value, 'y', true) }]
  })
  if (dots.length === 0) return
  ctx.save()
  ctx.lineWidth = 1.5 * ratio
  ctx.setLineDash([])
  ctx.fillStyle = colour('--page')
  for (const { style, y } of dots) {
    ctx.strokeStyle = colour(lineStyleOf(style).colour)
    ctx.beginPath()
    ctx.arc(x, y, RADIUS * ratio, 0, 2 * Math.PI)
    ctx.fill()
    ctx.stroke()
  }
  ctx.font = font.replace(/[\d.]+px/, (size) => `${Number.parseFloat(size) * ratio}px`)
  ctx.fillStyle = colour('--ink3')
  // Overrides the two settings that uPlot has changed for its axes.
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  ctx.fillText(strings.soFar, x + WORDS_AWAY * ratio, Math.min(...dots.map(({ y }) => y)))
  ctx.restore()
}
