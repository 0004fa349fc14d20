import type { BucketMeasures } from '../usage/bucket-sums.ts'
import { type Grouping, groupings } from '../usage/tiers.ts'

/** The sum of a bucket, with its member's name. */
export interface NamedSum {
  readonly grouping: Grouping
  readonly bucketS: number
  /** Instance of the account; empty for all other members. */
  readonly instance: string
  readonly member: string
  readonly measures: BucketMeasures
}

/** Sums by grouping, bucket and member. Sums of two names that have become one are added. */
export type SumsByPlace = ReadonlyMap<string, NamedSum>

export const measureNames = [
  'requests',
  'tokens',
  'failed',
  'tokensIn',
  'tokensCached',
  'tokensWritten',
  'tokensOut',
] as const satisfies readonly (keyof BucketMeasures)[]

export const groupingNames: ReadonlyMap<number, Grouping> = new Map(
  Object.entries(groupings).map(([name, number]) => [number, name as Grouping]),
)

export function sumsByPlace(sums: Iterable<NamedSum>): SumsByPlace {
  const byPlace = new Map<string, NamedSum>()
  for (const sum of sums) {
    const place = placeOf(sum)
    const known = byPlace.get(place)
    byPlace.set(
      place,
      known === undefined ? sum : { ...sum, measures: plus(known.measures, sum.measures) },
    )
  }
  return byPlace
}

/** Key of a sum among those of its width. */
export function placeOf({ grouping, bucketS, instance, member }: NamedSum): string {
  return JSON.stringify([grouping, bucketS, instance, member])
}

/** Total of these sums. */
export function totalOf(sums: Iterable<NamedSum>): BucketMeasures {
  let total = NOTHING
  for (const { measures } of sums) total = plus(total, measures)
  return total
}

export const NOTHING: BucketMeasures = {
  requests: 0,
  tokens: 0,
  failed: 0,
  tokensIn: 0,
  tokensCached: 0,
  tokensWritten: 0,
  tokensOut: 0,
}

function plus(one: BucketMeasures, other: BucketMeasures): BucketMeasures {
  return measuresOf((name) => Math.min(one[name] + other[name], Number.MAX_SAFE_INTEGER))
}

/** Difference of two sums, never below 0. */
export function lacking(wanted: BucketMeasures, found: BucketMeasures): BucketMeasures {
  return measuresOf((name) => Math.max(0, wanted[name] - found[name]))
}

/** Whether no measure of the second is less than that of the first. */
export function isWithin(wanted: BucketMeasures, found: BucketMeasures): boolean {
  return measureNames.every((name) => wanted[name] <= found[name])
}

export function isEqual(one: BucketMeasures, other: BucketMeasures): boolean {
  return measureNames.every((name) => one[name] === other[name])
}

/** Measures from a row of a table, by column name. */
export function measuresOf(value: (name: keyof BucketMeasures) => number): BucketMeasures {
  return {
    requests: value('requests'),
    tokens: value('tokens'),
    failed: value('failed'),
    tokensIn: value('tokensIn'),
    tokensCached: value('tokensCached'),
    tokensWritten: value('tokensWritten'),
    tokensOut: value('tokensOut'),
  }
}
