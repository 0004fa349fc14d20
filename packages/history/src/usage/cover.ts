import { finestTier, type Tier, tierFor, tiers } from './tiers.ts'

/** Adjacent buckets of one tier. */
export interface BucketRun {
  readonly tier: Tier
  readonly from: number
  readonly to: number
}

export interface Cover {
  /** Start of the rows read one by one before the first bucket. */
  readonly rowsFrom: number
  readonly rowsTo: number
  readonly runs: readonly BucketRun[]
  /** End of the last bucket; rows between the query's end and here, which a proxy with a fast clock may have sent, are subtracted. */
  readonly tooMuchTo: number
}

/** The fewest buckets that cover a period up to now: wide ones inside, towards its edges as fine as they are still kept. */
export function coverOf(from: number, to: number): Cover {
  const finestKept = tiers.find(({ keptSeconds }) => to - from <= keptSeconds * 1000) ?? finestTier
  const first = roundUp(from, finestKept.seconds * 1000)
  if (to <= first) return { rowsFrom: from, rowsTo: to, runs: [], tooMuchTo: to }
  const tooMuchTo = roundUp(to, finestTier.seconds * 1000)
  return { rowsFrom: from, rowsTo: first, runs: runsOf(first, tooMuchTo, 0), tooMuchTo }
}

/**
 * Tier and last bucket for buckets of a width up to `to`. The last bucket begins at `lastFrom` and ends at `tooMuchTo`; its rows from `to` on are
 * subtracted.
 */
export function bucketCoverOf(
  bucketSeconds: number,
  to: number,
): { readonly tier: Tier; readonly lastFrom: number; readonly tooMuchTo: number } {
  const tier = tierFor(bucketSeconds)
  const tooMuchTo = roundUp(to, tier.seconds * 1000)
  return { tier, lastFrom: tooMuchTo - tier.seconds * 1000, tooMuchTo }
}

function runsOf(from: number, to: number, tierIndex: number): readonly BucketRun[] {
  const tier = tiers[tierIndex]
  if (tier === undefined || from >= to) return []
  const wider = tiers[tierIndex + 1]
  if (wider === undefined) return [{ tier, from, to }]
  const innerFrom = roundUp(from, wider.seconds * 1000)
  const innerTo = roundDown(to, wider.seconds * 1000)
  if (innerFrom >= innerTo) return [{ tier, from, to }]
  return [
    ...(from < innerFrom ? [{ tier, from, to: innerFrom }] : []),
    ...runsOf(innerFrom, innerTo, tierIndex + 1),
    ...(innerTo < to ? [{ tier, from: innerTo, to }] : []),
  ]
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step
}

function roundDown(value: number, step: number): number {
  return Math.floor(value / step) * step
}
