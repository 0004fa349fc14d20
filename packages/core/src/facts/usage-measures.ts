/** Counts of usage: whole numbers, >= 0. Sums are exact, and stop growing at the largest exact number. */
export interface UsageMeasures {
  readonly requests: number
  readonly tokens: number
  /** Failed requests, included in `requests`. */
  readonly failed: number
}
