import { signal } from '@preact/signals'

/** The first and the last visible bucket of a chart. */
export interface Zoom {
  readonly first: number
  readonly last: number
}

/** Id of the only visible line; null if all are visible. */
export const isolated = signal<string | null>(null)
/** The line highlighted under the pointer; null for none. */
export const highlighted = signal<string | null>(null)
/** The bucket whose numbers are shown; null for the numbers of the whole range. */
export const cursor = signal<number | null>(null)
/** The visible buckets; null for the whole range. */
export const zoom = signal<Zoom | null>(null)

/** Fewest visible buckets of a chart. */
const BUCKETS_MIN = 4

/** Shows the whole range with all lines. */
export function resetChartView(): void {
  isolated.value = null
  highlighted.value = null
  cursor.value = null
  zoom.value = null
}

/** Shows a line alone, or all lines if it is alone already. */
export function toggleIsolated(id: string): void {
  isolated.value = isolated.value === id ? null : id
}

/** Shows these buckets, but at least `BUCKETS_MIN`. */
export function zoomTo(one: number, other: number, bucketCount: number): void {
  const wanted = Math.max(Math.abs(one - other) + 1, BUCKETS_MIN)
  if (wanted >= bucketCount) {
    zoom.value = null
    return
  }
  const first = Math.max(0, Math.min(one, other, bucketCount - wanted))
  zoom.value = { first, last: first + wanted - 1 }
}

/** Shows half as many buckets, or twice as many, around the cursor or else the middle. */
export function zoomBy(factor: 0.5 | 2, bucketCount: number): void {
  const { first, last } = zoom.value ?? { first: 0, last: bucketCount - 1 }
  const wanted = Math.max(BUCKETS_MIN, Math.round((last - first + 1) * factor))
  const middle = cursor.value ?? (first + last) / 2
  const from = Math.max(0, Math.min(bucketCount - wanted, Math.round(middle - (wanted - 1) / 2)))
  zoomTo(from, from + wanted - 1, bucketCount)
}

/** Moves the cursor by this many visible buckets; without a cursor it starts at the newest. */
export function moveCursor(steps: number, bucketCount: number): void {
  const { first, last } = zoom.value ?? { first: 0, last: bucketCount - 1 }
  const from = cursor.value ?? (steps < 0 ? last + 1 : last)
  cursor.value = Math.min(last, Math.max(first, from + steps))
}
