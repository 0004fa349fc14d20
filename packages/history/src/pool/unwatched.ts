import { epochMs, type Interval, mainWindows } from '@svc/core'

/**
 * The window whose points show that the pool was watched: some are stored regularly in any case. One window is enough, because all are recorded
 * together.
 */
export const WATCHED_WINDOW = mainWindows[0].id

/** Points of a span at which the pool was not watched, in milliseconds. */
export interface WatchedPoints {
  /** The point in effect when the span began, or else the first one after. */
  readonly first: number
  /** The last point of the span. */
  readonly last: number
  /** Periods between points that are too far apart. */
  readonly silences: readonly (readonly [from: number, to: number])[]
}

/** Periods in which the pool was not watched, unordered; `points` is null if there are none up to the end of the span. */
export function unwatchedIntervals(
  points: WatchedPoints | null,
  { from, to }: Interval,
  silentMsMax: number,
): readonly Interval[] {
  if (points === null) return [{ from, to }]
  const { first, last, silences } = points
  return [
    ...silences,
    ...(first > from ? [[from, first] as const] : []),
    ...(to - last > silentMsMax ? [[last, to] as const] : []),
  ].map(([start, end]) => ({ from: epochMs(start), to: epochMs(end) }))
}
