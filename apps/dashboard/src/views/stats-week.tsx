import { batch } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import { useEffect, useRef, useState } from 'preact/hooks'
import { metricText } from '../state/chart-lines.ts'
import { isNarrow, statsControls, zoom } from '../state/display-state.ts'
import { zone } from '../state/live-data.ts'
import { usageProvider } from '../state/providers.ts'
import { setSpan } from '../state/usage-question.ts'
import { followWeek, splitIntoHours, type WeekHour, weekSeries } from '../state/week-hours.ts'
import { strings } from '../words/strings.ts'
import { spanText, valueText } from './stats-readings.ts'

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
    return <p class="coverage dim">{strings.weekTooShort}</p>
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
        {strings.weekTitle(metricText(now))}
        <span class="dim">{strings.weekNote}</span>
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
                  words={cell === null ? strings.notKnown : hourText(now, cell)}
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
        class={level === null ? 'heat unknown' : `heat heat-${level}`}
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
