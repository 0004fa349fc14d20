import type { UsageMeasures } from '../facts/usage-measures.ts'

const REQUESTS_MIN = 5
/** Smallest failure ratio that counts as failing. See docs/rules.md#statistics. */
const FAILED_RATIO_MIN = 0.1

/** True if so many requests fail that an operator should look. */
export function isFailing({ requests, failed }: UsageMeasures): boolean {
  return requests >= REQUESTS_MIN && failed / requests >= FAILED_RATIO_MIN
}
