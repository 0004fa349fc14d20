import type { StatsSeries } from '@svc/views'
import type uPlot from 'uplot'

/** Space between two lines of the hatching, in CSS pixels. */
const HATCH = 7

/** Range of the canvas without certain data. */
interface Band {
  readonly left: number
  readonly right: number
}

/** The gaps within a range of the canvas; `toX` maps an instant, in seconds since 1970, to its position. */
export function gapBandsOf(
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

/** Hatches the gaps of a chart, below its lines. */
export function drawGaps(plot: uPlot, gaps: StatsSeries['coverage']['gaps'], colour: string): void {
  const { ctx, bbox } = plot
  const step = HATCH * devicePixelRatio
  const area = { left: bbox.left, right: bbox.left + bbox.width }
  const bands = gapBandsOf(gaps, area, (seconds) => plot.valToPos(seconds, 'x', true))
  for (const { left, right } of bands) {
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
    ctx.strokeStyle = colour
    ctx.globalAlpha = 0.6
    ctx.stroke()
    ctx.restore()
  }
}
