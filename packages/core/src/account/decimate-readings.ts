import type { EpochMs } from '../facts/time.ts'

interface Reading {
  readonly at: EpochMs
  readonly percent: number
}

interface Selection {
  /** Times at which the last reading before and the first one at or after are kept. At most (`pointsMax` − 6) / 2 edges. */
  readonly edges: readonly EpochMs[]
  readonly pointsMax: number
}

/** Readings kept per slice: the first, last, lowest and highest. */
const KEPT_PER_SLICE = 4

/**
 * Selects at most `pointsMax` of these time-ordered readings: the first and the last, the two around each edge, and the first, last, lowest and
 * highest of each of several equal slices of time. A line through them differs from the full line by less than a slice. Values are never
 * interpolated.
 */
export function decimatedReadings<Kept extends Reading>(
  readings: readonly Kept[],
  { edges, pointsMax }: Selection,
): readonly Kept[] {
  const [first, last] = [readings[0], readings.at(-1)]
  if (readings.length <= pointsMax || first === undefined || last === undefined) return readings

  const kept = new Set([0, readings.length - 1])
  for (const edge of edges) {
    const after = firstAtOrAfter(readings, edge)
    if (after > 0) kept.add(after - 1)
    if (after < readings.length) kept.add(after)
  }
  const sliceCount = Math.max(1, Math.floor((pointsMax - kept.size) / KEPT_PER_SLICE))
  const sliceMs = (last.at - first.at + 1) / sliceCount
  for (let slice = 0, start = 0; slice < sliceCount; slice += 1) {
    const end =
      slice === sliceCount - 1
        ? readings.length
        : firstAtOrAfter(readings, first.at + (slice + 1) * sliceMs)
    for (const index of extremesBetween(readings, start, end)) kept.add(index)
    start = end
  }
  return readings.filter((_, index) => kept.has(index))
}

/** Indexes of the first, last, lowest and highest reading of a slice; empty for an empty slice. */
function extremesBetween(readings: readonly Reading[], start: number, end: number): number[] {
  if (start >= end) return []
  const percentAt = (index: number) => readings[index]?.percent ?? 0
  let [lowest, highest] = [start, start]
  for (let index = start; index < end; index += 1) {
    if (percentAt(index) < percentAt(lowest)) lowest = index
    if (percentAt(index) > percentAt(highest)) highest = index
  }
  return [start, end - 1, lowest, highest]
}

/** Index of the first reading at or after `at`; the number of readings if there is none. */
function firstAtOrAfter(readings: readonly Reading[], at: number): number {
  let [low, high] = [0, readings.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((readings[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
