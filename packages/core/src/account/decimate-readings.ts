import type { EpochMs } from '../facts/time.ts'

/** What decides which readings are drawn. */
interface Reading {
  readonly at: EpochMs
  readonly percent: number
}

interface Selection {
  /** Of each, the last reading before it and the first one at or after it are kept. At most (`pointsMax` − 6) / 2 of them. */
  readonly edges: readonly EpochMs[]
  readonly pointsMax: number
}

/** First, last, lowest and highest. */
const KEPT_PER_SLICE = 4

/**
 * At most `pointsMax` of these readings, which are in order of time: the first and the last one, those around each edge, and of equal slices of time the
 * first, last, lowest and highest each. A line through them differs from one through all by less than a slice. Nothing is computed: each is as it was.
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

/** Places of the first, the last, the lowest and the highest reading of a slice; none of an empty one. */
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

/** Place of the first reading at or after `at`; how many there are where none is. */
function firstAtOrAfter(readings: readonly Reading[], at: number): number {
  let [low, high] = [0, readings.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((readings[middle]?.at ?? 0) < at) low = middle + 1
    else high = middle
  }
  return low
}
