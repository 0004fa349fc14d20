import type { ChartLine } from '../state/chart-lines.ts'

interface FillOf {
  readonly colour: string
  readonly page: string
  readonly style: ChartLine['style']
}

/** Part of a line's colour in the area below it. */
const AREA_SHARE = 0.45
/** Side of a pattern, in pixels of the screen. */
const TILE = 8

/** Opaque fill of an area. On a page without colours it is a pattern. */
export function areaFill(of: FillOf): string | CanvasPattern {
  return patternOf(of) ?? mixed(of, AREA_SHARE)
}

/** Opaque fill of a bar. */
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

/** A colour thinned with that of the page; both are hexadecimal, of three or six digits. */
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
