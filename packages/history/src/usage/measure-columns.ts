import type { BucketMeasures } from './bucket-sums.ts'

/** The measures of a bucket, by their columns, in the order in which statements take them. */
const MEASURES = {
  requests: 'requests',
  tokens: 'tokens',
  failed: 'failed',
  tokensIn: 'tokens_in',
  tokensCached: 'tokens_cached',
  tokensWritten: 'tokens_written',
  tokensOut: 'tokens_out',
} as const satisfies Record<keyof BucketMeasures, string>

export const measureColumns: readonly string[] = Object.values(MEASURES)
