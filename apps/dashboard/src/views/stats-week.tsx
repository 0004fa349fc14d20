import { batch, signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import type { Zone } from '@svc/views/format'
import { useEffect, useRef, useState } from 'preact/hooks'
import { askRegularly } from '../state/ask-regularly.ts'
import { measuredIn, metricText } from '../state/chart-lines.ts'
import { isNarrow, statsControls, zoom } from '../state/display-state.ts'
import { zone } from '../state/live-data.ts'
import { usageProvider } from '../state/providers.ts'
import { setSpan } from '../state/usage-question.ts'
import { fetchSeries, ofProvider } from '../state/usage-series.ts'
import { statsWords } from '../words/stats-words.ts'
import { strings } from '../words/strings.ts'
import { spanText, valueText } from './stats-readings.ts'

const HOUR_MS = 3_600_000
const HOUR_SECONDS = 3_600
/** Seconds shown around a chosen hour: the minimum number of buckets of a chart of a week. */
const AROUND_SECONDS = 8 * HOUR_SECONDS
/** Least number of known hours that are drawn. */
const HOURS_MIN = 24
/** Number of shades of the single hue. */
const LEVELS = 5
/** Metric of the hours: the chart's if it is requests or failures, else tokens. */
const metricOf = (metric: string) =>
  metric === 'requests' || metric.startsWith('failed') ? metric.replace(/_.*/, '') : 'tokens'

/** Usage of the last seven days by the hour; null before the first answer. */
export const weekSeries = signal<StatsSeries | null>(null)

const REFRESH_MS = 300_000

/**
 * Requests the hours of the week now, and regularly while the page is visible; the last ones stay if the monitor does not answer, which is said beside
 * the chart. The returned function ends it.
 */
function followWeek(metric: string): () => void {
  const query = new URLSearchParams({
    range: '7d',
    bucket: '1h',
    group: 'total',
    metric,
    top: '1',
    smooth: '0',
    ...ofProvider(),
  })
  return askRegularly(async (stop) => {
    weekSeries.value = await fetchSeries(query.toString(), stop)
  }, REFRESH_MS)
}

/** An hour of the last seven days by the zone's clock. */
interface WeekHour {
  readonly fromMs: number
  /** Usage in the hour; null if unknown. */
  readonly value: number | null
}

/**
 * The hours of seven days, as a list of 24 for each day, today last. If the clock is set back, the repeated hour is the sum of both; an hour that the
 * clock skips is null.
 */
export function splitIntoHours(
  now: StatsSeries,
  { offsetMs }: Pick<Zone, 'offsetMs'>,
): readonly (readonly (WeekHour | null)[])[] {
  const days: (WeekHour | null)[][] = []
  const dayOf = (ms: number) => Math.floor((ms + offsetMs(ms)) / (24 * HOUR_MS))
  const points = now.total?.points ?? []
  const today = dayOf(Date.parse(points.at(-1)?.t ?? ''))
  for (const point of points) {
    const fromMs = Date.parse(point.t)
    const hour = Math.floor((fromMs + offsetMs(fromMs)) / HOUR_MS) % 24
    // What is left of the day a week ago shares a row with today.
    const row = 6 - ((today - dayOf(fromMs)) % 7)
    days[row] ??= Array.from({ length: 24 }, () => null)
    const there = days[row]?.[hour] ?? null
    const before = there !== null && dayOf(there.fromMs) === dayOf(fromMs) ? there.value : null
    const value = point.unknown ? null : measuredIn(now, point)
    const sum = before === null || value === null ? (value ?? before) : value + before
    const hours = days[row]
    if (hours !== undefined) hours[hour] = { fromMs, value: sum }
  }
  return days
}

/** The hours of the last seven days, darker with more usage. A cell shows its hours in the chart. */
export function WeekHours() {
  const metric = metricOf(statsControls.value.metric)
  const provider = usageProvider.value
  useEffect(() => followWeek(metric), [metric, provider])
  const [chosen, setChosen] = useState(0)
  const table = useRef<HTMLTableElement>(null)
  const now = weekSeries.value
  if (now === null || now.query.metric !== metric || !now.available) return null
  if ((now.query.provider ?? '') !== provider) return null
  const days = splitIntoHours(now, zone.value)
  const dayWords = days.map((hours) =>
    zone.value.weekdayText(hours.find((cell) => cell !== null)?.fromMs ?? 0),
  )
  const hourWords = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))
  // On a phone a cell of 24 columns would be too small for a finger.
  const isTall = isNarrow.value
  const rows = isTall ? hourWords.map((_, hour) => days.map((day) => day[hour] ?? null)) : days
  const [heads, sides] = isTall ? [dayWords, hourWords] : [hourWords, dayWords]
  const cells = rows.flat()
  if (cells.filter((cell) => cell !== null && cell.value !== null).length < HOURS_MIN)
    return <p class="coverage dim">{statsWords.weekTooShort}</p>
  const most = Math.max(1, ...cells.map((cell) => cell?.value ?? 0))
  const moveFrom = (index: number) => (event: KeyboardEvent) => {
    const next = index + stepOf(event.key, heads.length)
    if (next === index || cells[next] === undefined) return
    event.preventDefault()
    setChosen(next)
    table.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <table class="week-hours" ref={table}>
      <caption>
        {statsWords.weekTitle(metricText(now))} <span class="dim">{statsWords.weekNote}</span>
      </caption>
      <thead>
        <tr>
          <td />
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={sides[index]}>
            <th scope="row">{sides[index]}</th>
            {row.map((cell, column) => {
              const place = index * heads.length + column
              return (
                <Cell
                  key={heads[column]}
                  cell={cell}
                  words={cell === null ? statsWords.notKnown : hourText(now, cell)}
                  level={heatLevel(cell, most)}
                  isStop={place === chosen}
                  onKeyDown={moveFrom(place)}
                />
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Number of cells that a key moves, in rows of this length. */
function stepOf(key: string, length: number): number {
  if (key === 'ArrowLeft') return -1
  if (key === 'ArrowRight') return 1
  if (key === 'ArrowUp') return -length
  return key === 'ArrowDown' ? length : 0
}

function hourText(now: StatsSeries, { fromMs, value }: WeekHour): string {
  return strings.reading(
    spanText(HOUR_SECONDS, fromMs / 1000),
    valueText(now, { form: 'line' }, value),
  )
}

/** 0 for no usage, 1 to LEVELS by the share of the busiest hour; null if unknown. */
function heatLevel(cell: WeekHour | null, most: number): number | null {
  if (cell === null || cell.value === null) return null
  return Math.ceil((cell.value / most) * LEVELS)
}

interface CellProps {
  readonly cell: WeekHour | null
  readonly words: string
  readonly level: number | null
  /** Whether the Tab key stops here. */
  readonly isStop: boolean
  readonly onKeyDown: (event: KeyboardEvent) => void
}

function Cell({ cell, words, level, isStop, onKeyDown }: CellProps) {
  return (
    <td>
      <button
        type="button"
        class={level === null ? 'heat unknown' : 'heat'}
        style={{ '--heat': level ?? 0 }}
        tabIndex={isStop ? 0 : -1}
        aria-label={words}
        title={words}
        aria-disabled={cell === null}
        onKeyDown={onKeyDown}
        onClick={cell === null ? undefined : () => show(cell)}
      />
    </td>
  )
}

/** Shows the time around an hour in the chart, and goes there. */
function show({ fromMs }: WeekHour): void {
  const middle = fromMs / 1000 + HOUR_SECONDS / 2
  // Both at once, so that one chart is requested.
  batch(() => {
    setSpan('', '')
    statsControls.value = { ...statsControls.value, range: '7d' }
    zoom.value = { from: middle - AROUND_SECONDS / 2, to: middle + AROUND_SECONDS / 2 }
  })
  scrollTo({ top: 0 })
  document.querySelector<HTMLElement>('.usage-chart')?.focus()
}
