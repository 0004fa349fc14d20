import { signal } from '@preact/signals'
import { zoom } from './display-state.ts'

export interface Buckets {
  /** Start of each bucket in seconds since 1970. */
  readonly times: readonly number[]
  readonly bucketSeconds: number
}

/** Id of the only visible line; null if all are visible. */
export const isolated = signal<string | null>(null)
/** The line highlighted under the pointer; null for none. */
export const highlighted = signal<string | null>(null)
/** The bucket whose numbers are shown; null to show those of the whole range. */
export const cursor = signal<number | null>(null)

/** Minimum number of visible buckets of a chart. */
const BUCKETS_MIN = 4

/** Shows the whole range with all lines. */
export function resetChartView(): void {
  isolated.value = null
  highlighted.value = null
  cursor.value = null
  zoom.value = null
}

/** Isolates a line, or shows all lines if it is already isolated. */
export function toggleIsolated(id: string): void {
  isolated.value = isolated.value === id ? null : id
}

/** First and last visible bucket. A zoom outside the chart's time shows everything. */
export function visibleIn({ times, bucketSeconds }: Buckets): {
  readonly first: number
  readonly last: number
} {
  const { from, to } = zoom.value ?? { from: 0, to: Number.POSITIVE_INFINITY }
  const first = times.findIndex((at) => at + bucketSeconds > from)
  const last = times.findLastIndex((at) => at < to)
  return first >= 0 && last >= first ? { first, last } : { first: 0, last: times.length - 1 }
}

/** Shows these buckets, but at least `BUCKETS_MIN`. */
export function zoomTo(one: number, other: number, { times, bucketSeconds }: Buckets): void {
  const wanted = Math.max(Math.abs(one - other) + 1, BUCKETS_MIN)
  const first = Math.max(0, Math.min(one, other, times.length - wanted))
  const from = times[first]
  zoom.value =
    wanted >= times.length || from === undefined
      ? null
      : { from, to: from + wanted * bucketSeconds }
}

/** Shows half or twice as many buckets around the cursor, or around the middle without a cursor. */
export function zoomBy(factor: 0.5 | 2, buckets: Buckets): void {
  const { first, last } = visibleIn(buckets)
  const wanted = Math.max(BUCKETS_MIN, Math.round((last - first + 1) * factor))
  const middle = cursor.value ?? (first + last) / 2
  const most = buckets.times.length - wanted
  const from = Math.max(0, Math.min(most, Math.round(middle - (wanted - 1) / 2)))
  zoomTo(from, from + wanted - 1, buckets)
}

/** Moves the cursor by this many visible buckets; without a cursor it starts at the newest. */
export function moveCursor(steps: number, buckets: Buckets): void {
  const { first, last } = visibleIn(buckets)
  const from = cursor.value ?? (steps < 0 ? last + 1 : last)
  cursor.value = Math.min(last, Math.max(first, from + steps))
}
