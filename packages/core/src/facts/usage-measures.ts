/** Counts of usage: whole numbers, >= 0. Sums of them are exact, and stop growing at the point where they would no longer be. */
export interface UsageMeasures {
  readonly requests: number
  readonly tokens: number
  /** Failed requests, included in `requests`. */
  readonly failed: number
}
