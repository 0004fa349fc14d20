import type { Span } from '../span.ts'

export interface Range {
  readonly start: number
  readonly end: number
}

/** Reads a format piece by piece and says what its structure alone tells to hide. All offsets are those of the whole text. */
export interface Scanner {
  /**
   * Goes on in `text`, which begins at `base` and still holds everything from `settled` on. With `isLast` nothing follows.
   */
  scan(text: string, base: number, isLast: boolean): Span[]
  /** Everything before this offset has been decided. */
  readonly settled: number
  /** Numbers that were read since it was asked last, as far as they are long enough to be secrets. */
  takeNumbers?(): readonly Range[]
}
