import type { StatsSeries } from '@svc/views'
import { useState } from 'preact/hooks'
import { Name } from '../parts/name.tsx'
import type { ChartLines } from '../state/chart-lines.ts'
import { visibleIn } from '../state/chart-view.ts'
import { strings } from '../words/strings.ts'
import { bucketText, nameOf, shownLines, valueText } from './stats-readings.ts'

interface ChartTableProps {
  readonly now: StatsSeries
  readonly chart: ChartLines
}

/** The chart as a table of the visible lines and buckets, newest first. */
export function ChartTable(props: ChartTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{strings.chartAsTable}</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
        <div class="scrolls" role="region" tabIndex={0} aria-label={strings.chartAsTable}>
          <Numbers {...props} />
        </div>
      )}
    </details>
  )
}

function Numbers({ now, chart }: ChartTableProps) {
  const lines = [...shownLines(chart), chart.total]
  const { first, last } = visibleIn({ ...chart, ...now })
  const indexes = Array.from({ length: last - first + 1 }, (_, index) => last - index)
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{strings.bucketHead}</th>
          {lines.map((line) => (
            <th key={line.id} scope="col" class="number">
              <Name text={nameOf(line)} />
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
