import type { TokenClasses, UsageMeasures } from '@svc/core/usage'

/** Measures of a bucket. The classes are summed over the requests that have them. */
export interface BucketMeasures extends UsageMeasures, TokenClasses {}

/** Columns of the token classes, in usage rows and in buckets; statements take the classes in this order. */
const CLASSES = {
  tokensIn: 'tokens_in',
  tokensCached: 'tokens_cached',
  tokensWritten: 'tokens_written',
  tokensOut: 'tokens_out',
} as const satisfies Record<keyof TokenClasses, string>
/** Columns of a bucket, in the order in which statements take them. */
const MEASURES = {
  requests: 'requests',
  tokens: 'tokens',
  failed: 'failed',
  ...CLASSES,
} as const satisfies Record<keyof BucketMeasures, string>

export const classNames = Object.keys(CLASSES) as readonly (keyof TokenClasses)[]
export const classColumns: readonly string[] = Object.values(CLASSES)
export const measureNames = Object.keys(MEASURES) as readonly (keyof BucketMeasures)[]
export const measureColumns: readonly string[] = Object.values(MEASURES)

/** Reads the classes of a row, in the order of `classColumns`; null if any is unknown. */
export function classesOf(
  values: readonly (string | number | null | undefined)[],
): TokenClasses | null {
  if (classNames.some((_, index) => typeof values[index] !== 'number')) return null
  return Object.fromEntries(
    classNames.map((name, index) => [name, values[index]]),
  ) as unknown as TokenClasses
}

/** Reads the measures of a bucket, in the order of `measureColumns`. */
export function measuresOf(values: readonly number[]): BucketMeasures {
  return Object.fromEntries(
    measureNames.map((name, index) => [name, values[index] ?? 0]),
  ) as unknown as BucketMeasures
}
