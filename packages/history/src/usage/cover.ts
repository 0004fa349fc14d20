import { finestTier, type Tier, tierFor, tiers } from './tiers.ts'

/** Buckets of one tier that stand side by side. */
export interface Stretch {
  readonly tier: Tier
  readonly from: number
  readonly to: number
}

export interface Cover {
  /** Before the first bucket, usage is read row by row. */
  readonly rowsFrom: number
  readonly rowsTo: number
  readonly stretches: readonly Stretch[]
  /** The last bucket reaches up to here; rows from the end on, which a proxy with a fast clock may have sent, are taken off again. */
  readonly tooMuchTo: number
}

/** The fewest buckets that make up a stretch of time up to now: wide ones inside, towards its edges as fine as they are still kept. */
export function coverOf(from: number, to: number): Cover {
  const finestKept = tiers.find(({ keptSeconds }) => to - from <= keptSeconds * 1000) ?? finestTier
  const first = roundUp(from, finestKept.seconds * 1000)
  if (to <= first) return { rowsFrom: from, rowsTo: to, stretches: [], tooMuchTo: to }
  const tooMuchTo = roundUp(to, finestTier.seconds * 1000)
  return { rowsFrom: from, rowsTo: first, stretches: stretchesOf(first, tooMuchTo, 0), tooMuchTo }
}

/** What buckets of a width are made of up to `to`. The last one begins at `lastFrom` and reaches up to `tooMuchTo`: rows from `to` on are taken off again. */
export function bucketCoverOf(
  bucketSeconds: number,
  to: number,
): { readonly tier: Tier; readonly lastFrom: number; readonly tooMuchTo: number } {
  const tier = tierFor(bucketSeconds)
  const tooMuchTo = roundUp(to, tier.seconds * 1000)
  return { tier, lastFrom: tooMuchTo - tier.seconds * 1000, tooMuchTo }
}

function stretchesOf(from: number, to: number, tierIndex: number): readonly Stretch[] {
  const tier = tiers[tierIndex]
  if (tier === undefined || from >= to) return []
  const wider = tiers[tierIndex + 1]
  if (wider === undefined) return [{ tier, from, to }]
  const innerFrom = roundUp(from, wider.seconds * 1000)
  const innerTo = roundDown(to, wider.seconds * 1000)
  if (innerFrom >= innerTo) return [{ tier, from, to }]
  return [
    ...(from < innerFrom ? [{ tier, from, to: innerFrom }] : []),
    ...stretchesOf(innerFrom, innerTo, tierIndex + 1),
    ...(innerTo < to ? [{ tier, from: innerTo, to }] : []),
  ]
}

function roundUp(value: number, step: number): number {
  return Math.ceil(value / step) * step
}

function roundDown(value: number, step: number): number {
  return Math.floor(value / step) * step
}
