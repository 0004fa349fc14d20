import type { StatsSeries } from '@svc/views'
import { compactText, countText } from '@svc/views/format'
import { LineSample } from '../parts/line-sample.tsx'
import { Name, shown } from '../parts/name.tsx'
import type { ChartLine, ChartLines } from '../state/chart-lines.ts'
import { cursor, highlighted, isolated, toggleIsolated } from '../state/chart-view.ts'
import { zone } from '../state/live-data.ts'
import { strings } from '../words/strings.ts'

interface LinesProps {
  readonly now: StatsSeries
  readonly chart: ChartLines
}

/** Legend of the lines with their values, either of the bucket under the cursor or of the whole range. A press shows a line alone. */
export function ChartLegend({ now, chart }: LinesProps) {
  const at = cursor.value
  return (
    <div class="chart-legend">
      <p class="dim">{at === null ? strings.wholeRangeSum : bucketText(now, chart, at)}</p>
      <ul>
        {chart.lines.map((line) => (
          <li key={line.id}>
            <button
              type="button"
              aria-pressed={isolated.value === line.id}
              title={strings.showAlone}
              onClick={() => toggleIsolated(line.id)}
              onPointerEnter={() => point(line.id)}
              onPointerLeave={() => point(null)}
              onFocus={() => point(line.id)}
              onBlur={() => point(null)}
            >
              <LineSample style={line.style} />
              <Name text={nameOf(line)} />
              <Value now={now} chart={chart} line={line} />
            </button>
          </li>
        ))}
      </ul>
      <p class="sum">
        <span>{strings.total}</span>
        <Value now={now} chart={chart} line={chart.total} />
      </p>
    </div>
  )
}

function point(id: string | null): void {
  highlighted.value = id
}

function Value({ now, chart, line }: LinesProps & { readonly line: ChartLine }) {
  const at = cursor.value
  const text = at === null ? sumText(now, line.sum) : valueText(now, chart, line, at)
  const before = beforeText(now, chart, line, at)
  return (
    <span class="value">
      {text}
      {before !== null && <small class="dim"> {before}</small>}
    </span>
  )
}

/** Value of the previous period; null without a comparison, or if the line did not exist then. */
function beforeText(
  now: StatsSeries,
  { previous }: ChartLines,
  { id }: ChartLine,
  index: number | null,
): string | null {
  if (previous === null) return null
  const line = [...previous.lines, previous.total].find((candidate) => candidate.id === id)
  if (line === undefined) return null
  if (index === null) return strings.before(sumText(now, line.sum))
  const value = line.counted[index] ?? null
  return strings.before(value === null ? strings.notKnown : amountText(now, value))
}

export function nameOf({ id, label }: Pick<ChartLine, 'id' | 'label'>): string {
  if (id === 'other') return strings.otherLine
  return id === 'total' ? strings.total : label
}

/** Time span of a bucket, as text. */
export function bucketText(
  { bucketSeconds }: StatsSeries,
  { times, runningIndex }: ChartLines,
  index: number,
): string {
  const span = spanText(bucketSeconds, times[index] ?? 0)
  return index === runningIndex ? strings.bucketSoFar(span) : span
}

function spanText(bucketSeconds: number, fromSeconds: number): string {
  const from = fromSeconds * 1000
  const day = zone.value.dayAndDateText(from)
  if (bucketSeconds >= 86_400) return day
  const to = from + bucketSeconds * 1000
  return strings.bucketSpan(day, zone.value.clockText(from), zone.value.clockText(to))
}

/** Values of a bucket in one sentence, for the visible lines and the total. */
export function readingText(now: StatsSeries, chart: ChartLines, index: number): string {
  return strings.listOf(
    [...shownLines(chart), chart.total].map(
      (line) => `${shown(nameOf(line))} ${valueText(now, chart, line, index)}`,
    ),
  )
}

/** Visible lines: all, or the single isolated one. */
export function shownLines({ lines }: ChartLines): readonly ChartLine[] {
  return lines.filter(({ id }) => isolated.value === null || isolated.value === id)
}

/** Value of a line in a bucket, with its average if the line is smoothed. */
function valueText(
  now: StatsSeries,
  { isSmooth }: ChartLines,
  { drawn, counted }: ChartLine,
  index: number,
): string {
  const value = counted[index] ?? null
  const average = drawn[index] ?? null
  if (value === null) return strings.notKnown
  const text = amountText(now, value)
  return isSmooth && average !== null
    ? strings.averageAndValue(amountText(now, average), now.bucketSeconds, text)
    : text
}

/** An amount in the chart's measure, as text. */
export function amountText({ query: { metric, mode } }: StatsSeries, value: number): string {
  if (metric === 'tokens') return compactText(value)
  return mode === 'rate' || !Number.isInteger(value) ? value.toFixed(1) : countText(value)
}

function sumText({ query: { metric } }: StatsSeries, sum: number): string {
  return metric === 'tokens' ? compactText(sum) : countText(sum)
}
