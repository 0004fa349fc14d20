import { signal } from '@preact/signals'
import type { StatsSeries } from '@svc/views'
import type { Zone } from '@svc/views/format'
import { askRegularly } from './ask-regularly.ts'
import { measuredIn } from './chart-lines.ts'
import { fetchSeries, ofProvider } from './usage-series.ts'

/** Usage of the last seven days by the hour; null before the first answer. */
export const weekSeries = signal<StatsSeries | null>(null)

const REFRESH_MS = 300_000
const HOUR_MS = 3_600_000

/** Requests the hours of the week now, and regularly while the page is visible; the returned function ends it. */
export function followWeek(metric: string): () => void {
  const query = new URLSearchParams({
    range: '7d',
    bucket: '1h',
    group: 'total',
    metric,
    top: '1',
    smooth: '0',
    ...ofProvider(),
  })
  return askRegularly((signalToStop) => void load(query.toString(), signalToStop), REFRESH_MS)
}

async function load(query: string, signalToStop: AbortSignal): Promise<void> {
  try {
    weekSeries.value = await fetchSeries(query, signalToStop)
  } catch {
    // The last hours stay; that the monitor does not answer is said beside the chart.
  }
}

/** An hour of the last seven days by the zone's clock. */
export interface WeekHour {
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
