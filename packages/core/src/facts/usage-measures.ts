/** What usage is counted in. Whole numbers, >= 0; sums of them are exact, and stop growing where they would no longer be. */
export interface UsageMeasures {
  readonly requests: number
  readonly tokens: number
  /** Of `requests`, those that failed. */
  readonly failed: number
}
