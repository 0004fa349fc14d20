import type { UsageCounts } from '@svc/core/usage'
import type { Bucket } from '../sql/engine.ts'
import { measureNames, measuresOf } from '../usage/measures.ts'

/** Sums by grouping, bucket and member. */
export type Sums = ReadonlyMap<string, Bucket>

export const NOTHING: UsageCounts = measuresOf([])

/** Adds up sums with the same place, because two names of a file may have become one. */
export function sumsOf(buckets: Iterable<Bucket>): Sums {
  const sums = new Map<string, Bucket>()
  for (const { place, sum } of buckets) {
    const key = keyOf(place)
    sums.set(key, { place, sum: plus(sums.get(key)?.sum ?? NOTHING, sum) })
  }
  return sums
}

export function measuresIn(sums: Sums, { place }: Bucket): UsageCounts {
  return sums.get(keyOf(place))?.sum ?? NOTHING
}

function keyOf({ grouping, bucketS, memberId }: Bucket['place']): string {
  return `${grouping} ${bucketS} ${memberId}`
}

export function totalOf(buckets: Iterable<Bucket>): UsageCounts {
  let total = NOTHING
  for (const { sum } of buckets) total = plus(total, sum)
  return total
}

function plus(one: UsageCounts, other: UsageCounts): UsageCounts {
  return combine(one, other, (a, b) => Math.min(a + b, Number.MAX_SAFE_INTEGER))
}

/** Difference of two sums, never below 0. */
export function lacking(wanted: UsageCounts, found: UsageCounts): UsageCounts {
  return combine(wanted, found, (a, b) => Math.max(0, a - b))
}

function combine(
  one: UsageCounts,
  other: UsageCounts,
  of: (a: number, b: number) => number,
): UsageCounts {
  return measuresOf(measureNames.map((name) => of(one[name], other[name])))
}

/** Whether no measure of `wanted` exceeds that of `found`. */
export function isWithin(wanted: UsageCounts, found: UsageCounts): boolean {
  return measureNames.every((name) => wanted[name] <= found[name])
}

export function isEqual(one: UsageCounts, other: UsageCounts): boolean {
  return measureNames.every((name) => one[name] === other[name])
}
