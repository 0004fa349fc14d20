import type { UsageMeasures } from '../facts/usage-measures.ts'

/** Fewer requests say nothing. */
const REQUESTS_MIN = 5
/** Part of the requests that fails, at least. See docs/rules.md#statistics. */
const FAILED_RATIO_MIN = 0.1

/** True where so many requests fail that somebody should look. */
export function isFailing({ requests, failed }: UsageMeasures): boolean {
  return requests >= REQUESTS_MIN && failed / requests >= FAILED_RATIO_MIN
}
