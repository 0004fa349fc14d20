import { signal } from '@preact/signals'

/** The first and the last bucket that a chart shows. */
export interface Zoom {
  readonly first: number
  readonly last: number
}

/** The line that is shown alone, by its id; null: all are shown. */
export const isolated = signal<string | null>(null)
/** The line that stands out while it is pointed at. */
export const highlighted = signal<string | null>(null)
/** The bucket whose numbers are read; null: those of the whole range are. */
export const cursor = signal<number | null>(null)
/** Null: the whole range is shown. */
export const zoom = signal<Zoom | null>(null)

/** Fewest buckets a chart shows. */
const BUCKETS_MIN = 4

/** Shows the whole range with all of its lines. */
export function resetChartView(): void {
  isolated.value = null
  highlighted.value = null
  cursor.value = null
  zoom.value = null
}

/** Shows a line alone, or all of them where it is alone. */
export function toggleIsolated(id: string): void {
  isolated.value = isolated.value === id ? null : id
}

/** Shows these buckets, at least a few of them. */
export function zoomTo(one: number, other: number, bucketCount: number): void {
  const wanted = Math.max(Math.abs(one - other) + 1, BUCKETS_MIN)
  if (wanted >= bucketCount) {
    zoom.value = null
    return
  }
  const first = Math.max(0, Math.min(one, other, bucketCount - wanted))
  zoom.value = { first, last: first + wanted - 1 }
}

/** Shows half as many buckets, or twice as many, around the one that is read, else around the middle. */
export function zoomBy(factor: 0.5 | 2, bucketCount: number): void {
  const { first, last } = zoom.value ?? { first: 0, last: bucketCount - 1 }
  const wanted = Math.max(BUCKETS_MIN, Math.round((last - first + 1) * factor))
  const middle = cursor.value ?? (first + last) / 2
  const from = Math.max(0, Math.min(bucketCount - wanted, Math.round(middle - (wanted - 1) / 2)))
  zoomTo(from, from + wanted - 1, bucketCount)
}

/** Reads another bucket of those that are shown; from none on, it begins at the newest. */
export function moveCursor(steps: number, bucketCount: number): void {
  const { first, last } = zoom.value ?? { first: 0, last: bucketCount - 1 }
  const from = cursor.value ?? (steps < 0 ? last + 1 : last)
  cursor.value = Math.min(last, Math.max(first, from + steps))
}
