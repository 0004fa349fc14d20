import type { ComingPoint } from '../state/forecast.ts'

/** An amount in units at a time in epoch milliseconds. */
export interface PastPoint {
  readonly atMs: number
  readonly units: number
  /** Whether nothing is known between the previous point and this one. */
  readonly isAfterGap?: boolean
}

/** A reset: the units it returns, and the total after it if nothing is used. */
export interface FlowStep {
  readonly atMs: number
  readonly units: number
  readonly total: number
}

/** Content of a chart of past and coming quota, with now between its start and end. */
export interface FlowCourse {
  /** Oldest first, within the chart. */
  readonly past: readonly PastPoint[]
  /** From now on, soonest first, within the chart; at least one. */
  readonly coming: readonly ComingPoint[]
  /** Meaning of `coming`: what is left if nothing is used, or what is expected, of which `rough` tells only the quartiles. */
  readonly kind: 'unused' | 'expected' | 'rough'
  readonly known: number
  readonly startMs: number
  readonly nowMs: number
  readonly endMs: number
}

/** Value of a chart at one time. */
export type FlowReading =
  | { readonly when: 'past' | 'now'; readonly atMs: number; readonly units: number | null }
  | ({ readonly when: FlowCourse['kind'] } & ComingPoint)

/** Part of the width within which a time snaps to now, or to a point beside a gap. */
const NEAR_SHARE = 0.01

/** Value of the chart at a time. In the past the time snaps to the nearest recorded point; in the future it stays exact. */
export function readingAt(course: FlowCourse, ms: number): FlowReading {
  const { past, coming, kind, known, startMs, nowMs, endMs } = course
  const atMs = Math.min(endMs, Math.max(startMs, ms))
  const nearMs = (endMs - startMs) * NEAR_SHARE
  // An exact stop does not snap to now, or the arrow keys could not reach a stop close to it.
  const isStop = [...past, ...coming].some((each) => each.atMs === atMs)
  const isNow = atMs === nowMs || (!isStop && Math.abs(atMs - nowMs) <= nearMs)
  if (isNow) return { when: 'now', atMs: nowMs, units: known }
  if (atMs > nowMs) return { when: kind, ...comingAt(coming, atMs) }
  const point = recordedAt(course, atMs, nearMs)
  return { when: 'past', atMs: point?.atMs ?? atMs, units: point?.units ?? null }
}

/** The course at a coming time; after its last point it stays the same. */
function comingAt(coming: readonly ComingPoint[], atMs: number): ComingPoint {
  const from = coming.findLast((point) => point.atMs <= atMs)
  const to = coming.find((point) => point.atMs > atMs) ?? from
  if (from === undefined || to === undefined) throw new Error('the course begins later')
  const share = to === from ? 0 : (atMs - from.atMs) / (to.atMs - from.atMs)
  const between = (key: 'expected' | 'low' | 'high') => from[key] + (to[key] - from[key]) * share
  return { atMs, expected: between('expected'), low: between('low'), high: between('high') }
}

/** The point next to a time; null in a gap, and before the first one. */
function recordedAt({ past }: FlowCourse, atMs: number, nearMs: number): PastPoint | null {
  const before = past.findLast((point) => point.atMs <= atMs) ?? null
  const after = past.find((point) => point.atMs > atMs) ?? null
  const isGap = before === null || after?.isAfterGap === true
  const isNearer = (one: PastPoint | null, other: PastPoint | null) =>
    one !== null && (other === null || Math.abs(one.atMs - atMs) < Math.abs(other.atMs - atMs))
  const nearest = isNearer(after, before) ? after : before
  if (nearest === null || (isGap && Math.abs(nearest.atMs - atMs) > nearMs)) return null
  return nearest
}

/** Times of all events, oldest first: each recorded point, now, and each point of the coming course. */
export function stopsOf({ past, coming, nowMs, endMs }: FlowCourse): readonly number[] {
  return [
    ...new Set([...past, { atMs: nowMs }, ...coming, { atMs: endMs }].map(({ atMs }) => atMs)),
  ]
}

/** The forecast from what is left now on, up to the end of the chart. */
export function expectedOf(
  points: readonly ComingPoint[],
  { known, nowMs, endMs }: Times,
): readonly ComingPoint[] {
  return [
    { atMs: nowMs, expected: known, low: known, high: known },
    ...points.filter(({ atMs }) => atMs > nowMs && atMs < endMs),
    ...((points.at(-1)?.atMs ?? 0) >= endMs ? [comingAt(points, endMs)] : []),
  ]
}

type Times = Pick<FlowCourse, 'known' | 'nowMs' | 'endMs'>

/** The course if nothing is used: level until each reset, where it leaps. */
export function stairOf(
  steps: readonly FlowStep[],
  { known, nowMs, endMs }: Times,
): readonly ComingPoint[] {
  const point = (atMs: number, units: number): ComingPoint => ({
    atMs,
    expected: units,
    low: units,
    high: units,
  })
  return [
    point(nowMs, known),
    ...steps.flatMap(({ atMs, total }, index) => [
      point(atMs, steps[index - 1]?.total ?? known),
      point(atMs, total),
    ]),
    point(endMs, steps.at(-1)?.total ?? known),
  ]
}
