/**
 * Tokens of one or several requests, by class of cost. Each token is in one class; reasoning is part of the output. Whole numbers, >= 0. If
 * the classes of some requests are unknown, the classes add up to less than all tokens.
 */
export interface TokenClasses {
  /** Input that was neither read from a cache nor written to one. */
  readonly tokensIn: number
  /** Input read from a cache. */
  readonly tokensCached: number
  /** Input written to a cache. */
  readonly tokensWritten: number
  readonly tokensOut: number
}
