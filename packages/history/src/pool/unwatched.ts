import { epochMs, mainWindows } from '@svc/core'
import type { Stretch } from '@svc/core/service'

/** A pool that is watched leaves a point of its capacity now and then, whatever happens. One window stands for all: they are recorded together. */
export const WATCHED_WINDOW = mainWindows[0].id

/** The points of a span, as far as they say when nobody watched, in milliseconds. */
export interface WatchedPoints {
  /** The one that stood when the span began, or else the first one after. */
  readonly first: number
  /** The last one of the span. */
  readonly last: number
  /** Where one point is too far from the next. */
  readonly silences: readonly (readonly [from: number, to: number])[]
}

/** When nobody watched the pool, in no order; `points` is null where there is none up to the end of the span. */
export function unwatchedStretches(
  points: WatchedPoints | null,
  { from, to }: Stretch,
  silentMsMax: number,
): readonly Stretch[] {
  if (points === null) return [{ from, to }]
  const { first, last, silences } = points
  return [
    ...silences,
    ...(first > from ? [[from, first] as const] : []),
    ...(to - last > silentMsMax ? [[last, to] as const] : []),
  ].map(([start, end]) => ({ from: epochMs(start), to: epochMs(end) }))
}
