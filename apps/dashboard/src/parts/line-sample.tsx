import type { ChartLine } from '../state/chart-lines.ts'
import { lineStyleOf } from './line-styles.ts'

/** A short sample of a chart line, in the line's style. */
export function LineSample({ style }: { readonly style: ChartLine['style'] }) {
  const { colour, dash, width } = lineStyleOf(style)
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
