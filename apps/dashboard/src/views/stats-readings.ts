import type { StatsSeries } from '@svc/views'
import { compactText, countText, usdText } from '@svc/views/format'
import { shown } from '../parts/text.tsx'
import { addsUp, type ChartLine, type ChartLines } from '../state/chart-lines.ts'
import { isolated } from '../state/chart-view.ts'
import { zone } from '../state/live-data.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'

export function lineName({ id, label }: Pick<ChartLine, 'id' | 'label'>): string {
  if (id === 'other') return statsWords.otherLine
  return id === 'total' ? statsWords.total : label
}

/** Names of the groups, one or two. */
export function groupText(group: string): string {
  const names = group.split(',').map((each) => strings.groups[each] ?? each)
  return names.join(' · ')
}

/** Time span of a bucket, as text. */
export function bucketText(
  { bucketSeconds, range: { start } }: StatsSeries,
  { times, runningIndex }: Pick<ChartLines, 'times' | 'runningIndex'>,
  index: number,
): string {
  const begins = times[index] ?? 0
  const from = start === null ? begins : Math.max(begins, Date.parse(start) / 1000)
  const span = spanText(begins + bucketSeconds - from, from)
  return index === runningIndex ? statsWords.bucketSoFar(span) : span
}

/** Text of a span of time, given by its length and start. */
export function spanText(seconds: number, fromSeconds: number): string {
  const from = fromSeconds * 1000
  const day = zone.value.dayAndDateText(from)
  if (seconds >= 86_400) return day
  const to = from + seconds * 1000
  return statsWords.bucketSpan(day, zone.value.clockText(from), zone.value.clockText(to))
}

/** Values of a bucket in one sentence, for the visible lines and the total. */
export function readingText(now: StatsSeries, chart: ChartLines, index: number): string {
  return strings.listOf(
    [...shownLines(chart), chart.total].map(
      (line) => `${shown(lineName(line))} ${valueText(now, chart, line.counted[index] ?? null)}`,
    ),
  )
}

/** Visible lines: all, or the single isolated one. */
export function shownLines({ lines }: ChartLines): readonly ChartLine[] {
  return lines.filter(({ id }) => isolated.value === null || isolated.value === id)
}

/** Text of a bucket's value in the unit of the chart. */
export function valueText(
  { query: { metric, mode }, valueUnit }: StatsSeries,
  { form }: Pick<ChartLines, 'form'>,
  value: number | null,
): string {
  if (value === null) return statsWords.notKnown
  if (form === 'bar' || valueUnit === 'percent') return `${value.toFixed(1)}%`
  if (valueUnit === 'ms') return statsWords.seconds(value / 1000)
  if (valueUnit === 'usd') return usdText(value)
  if (metric === 'tokens' || valueUnit === 'tokens') return compactText(value)
  return mode === 'rate' || !Number.isInteger(value) ? value.toFixed(1) : countText(value)
}

/** A value on the axis of the chart. */
export function axisText(
  now: StatsSeries,
  { form }: Pick<ChartLines, 'form'>,
  value: number,
): string {
  if (form === 'bar' || !addsUp(now)) return valueText(now, { form }, value).replace('.0', '')
  if (now.valueUnit === 'usd' && value < 10_000) return usdText(value).replace('.00', '')
  const sign = now.valueUnit === 'usd' ? '$' : ''
  return value === 0 ? '0' : sign + compactText(value).replace('.0', '')
}
