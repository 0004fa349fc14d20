import type { ChartLine } from '../state/chart-lines.ts'

/** Colour, dash and width of a line; dash and width alone distinguish any two lines. */
interface LineStyle {
  /** Name of the page's custom property with the colour. */
  readonly colour: string
  /** Lengths of dashes and spaces in px; empty for a solid line. */
  readonly dash: readonly number[]
  readonly width: number
}

const STYLES: readonly LineStyle[] = [
  { colour: '--series-1', dash: [], width: 1.75 },
  { colour: '--series-2', dash: [7, 3], width: 1.75 },
  { colour: '--series-3', dash: [2, 3], width: 2.5 },
  { colour: '--series-4', dash: [9, 3, 2, 3], width: 1.75 },
  { colour: '--series-5', dash: [], width: 3.25 },
  { colour: '--series-6', dash: [14, 5], width: 2.5 },
  { colour: '--series-7', dash: [1, 5], width: 3 },
  { colour: '--series-8', dash: [9, 3, 2, 3, 2, 3], width: 2.25 },
]
const TOTAL: LineStyle = { colour: '--ink', dash: [], width: 3 }
const OTHER: LineStyle = { colour: '--series-other', dash: [4, 6], width: 1 }

export function findLineStyle(style: ChartLine['style']): LineStyle {
  if (style === 'total') return TOTAL
  return (style === 'other' ? undefined : STYLES[style - 1]) ?? OTHER
}

export function LineSample({ style }: { readonly style: ChartLine['style'] }) {
  const { colour, dash, width } = findLineStyle(style)
  return (
    <svg class="line-sample" aria-hidden="true">
      <line
        style={{ stroke: `var(${colour})` }}
        stroke-dasharray={dash.join(' ')}
        stroke-width={width}
        x1="0"
        x2="28"
        y1="5"
        y2="5"
      />
    </svg>
  )
}
