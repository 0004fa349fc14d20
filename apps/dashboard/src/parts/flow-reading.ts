/** An amount in Plus units at a time in epoch milliseconds. */
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

/** Content of a chart of past quota and coming resets, with now between its start and end. */
export interface FlowCourse {
  /** Oldest first, within the chart. */
  readonly past: readonly PastPoint[]
  /** Soonest first, within the chart. */
  readonly steps: readonly FlowStep[]
  readonly known: number
  readonly startMs: number
  readonly nowMs: number
  readonly endMs: number
}

/** Value of a chart at one time. */
export interface FlowReading {
  readonly atMs: number
  readonly when: 'past' | 'now' | 'coming'
  /** Plus units; null if nothing was recorded. */
  readonly units: number | null
}

/** Part of the width within which a time snaps to now, or to a point beside a gap. */
const NEAR_SHARE = 0.01

/** Value of the chart at a time. In the past the time snaps to the nearest recorded point; in the future it stays exact. */
export function readingAt(course: FlowCourse, ms: number): FlowReading {
  const { past, steps, known, startMs, nowMs, endMs } = course
  const atMs = Math.min(endMs, Math.max(startMs, ms))
  const nearMs = (endMs - startMs) * NEAR_SHARE
  // An exact stop does not snap to now, or the arrow keys could not reach a stop close to it.
  const isStop = [...past, ...steps].some((each) => each.atMs === atMs)
  if (!isStop && Math.abs(atMs - nowMs) <= nearMs) return { atMs: nowMs, when: 'now', units: known }
  if (atMs > nowMs) {
    const total = steps.findLast((step) => step.atMs <= atMs)?.total ?? known
    return { atMs, when: 'coming', units: total }
  }
  const point = recordedAt(course, atMs, nearMs)
  return { atMs: point?.atMs ?? atMs, when: 'past', units: point?.units ?? null }
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

/** Times of all events, oldest first: each recorded point, now, and each reset. */
export function stopsOf({ past, steps, nowMs, endMs }: FlowCourse): readonly number[] {
  const coming = steps.map(({ atMs }) => atMs)
  return [...new Set([...past.map(({ atMs }) => atMs), nowMs, ...coming, endMs])]
}
