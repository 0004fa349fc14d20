import { type EpochMs, epochMs, type Interval } from '../facts/time.ts'

/** Watched time of a history, and the intervals it missed. */
export interface WatchedTime {
  /** Start of the history; null if there is none yet. */
  readonly since: EpochMs | null
  /** Intervals in which usage may have been missed, sorted by start; they may overlap. */
  readonly missed: readonly Interval[]
}

interface CoverageGap extends Interval {
  /** `before-history`: usage was not kept yet. `missed`: usage was kept, and some may be missing. */
  readonly reason: 'before-history' | 'missed'
}

/** Coverage of the time that a chart shows. */
export interface UsageCoverage {
  /** Start of the history; null if there is none yet. */
  readonly since: EpochMs | null
  /** Percent 0..100 of the chart's time from `since` on without missed intervals; null if the chart shows no such time. */
  readonly percent: number | null
  /** Oldest first, without overlap; only the gap before the history may touch the next one. */
  readonly gaps: readonly CoverageGap[]
}

/** Coverage of the time between two instants. */
export function usageCoverageOf(
  { from: start, end }: { readonly from: EpochMs; readonly end: EpochMs },
  { since, missed }: WatchedTime,
): UsageCoverage {
  const watchedFrom = Math.min(end, Math.max(start, since ?? end))
  const before: readonly CoverageGap[] =
    watchedFrom > start ? [{ from: start, to: epochMs(watchedFrom), reason: 'before-history' }] : []
  const gaps = mergedWithin(missed, watchedFrom, end)
  const missedMs = gaps.reduce((sum, { from, to }) => sum + to - from, 0)
  return {
    since,
    percent: end > watchedFrom ? 100 * (1 - missedMs / (end - watchedFrom)) : null,
    gaps: [...before, ...gaps],
  }
}

function mergedWithin(
  missed: readonly Interval[],
  start: number,
  end: number,
): readonly CoverageGap[] {
  const merged: CoverageGap[] = []
  for (const interval of missed) {
    const from = Math.max(interval.from, start)
    const to = Math.min(interval.to, end)
    if (to <= from) continue
    const last = merged.at(-1)
    const joins = last !== undefined && from <= last.to
    if (joins) merged.pop()
    merged.push({
      from: epochMs(joins ? last.from : from),
      to: epochMs(joins ? Math.max(last.to, to) : to),
      reason: 'missed',
    })
  }
  return merged
}

/** True if no moment between two instants was covered, so that the absence of usage there does not mean zero. */
export function isUncovered(
  { gaps }: Pick<UsageCoverage, 'gaps'>,
  { from, to }: Interval,
): boolean {
  let reached: number = from
  for (const gap of gaps) if (gap.from <= reached) reached = Math.max(reached, gap.to)
  return reached >= to
}
