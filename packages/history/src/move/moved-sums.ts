import type { BucketMeasures } from '../usage/bucket-sums.ts'
import { type Grouping, groupings } from '../usage/tiers.ts'

/** The sum of a bucket whose member is named. */
export interface NamedSum {
  readonly grouping: Grouping
  readonly bucketS: number
  /** Of the account; empty for everything else. */
  readonly instance: string
  readonly member: string
  readonly measures: BucketMeasures
}

/** Sums by what they are of. Where two names have become one, they are added up. */
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

/** Puts sums into a map. */
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

/** What tells a sum from every other of its width. */
export function placeOf({ grouping, bucketS, instance, member }: NamedSum): string {
  return JSON.stringify([grouping, bucketS, instance, member])
}

/** Adds up what all of these sums say. */
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

/** What is in the first and not in the second; never less than nothing. */
export function lacking(wanted: BucketMeasures, found: BucketMeasures): BucketMeasures {
  return measuresOf((name) => Math.max(0, wanted[name] - found[name]))
}

/** True where no measure of the second is less than that of the first. */
export function isWithin(wanted: BucketMeasures, found: BucketMeasures): boolean {
  return measureNames.every((name) => wanted[name] <= found[name])
}

/** True where every measure is the same. */
export function isEqual(one: BucketMeasures, other: BucketMeasures): boolean {
  return measureNames.every((name) => one[name] === other[name])
}

/** Measures out of a row of a table, by the names of its columns. */
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
