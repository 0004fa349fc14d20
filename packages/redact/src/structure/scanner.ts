import type { Span } from '../span.ts'

export interface Range {
  readonly start: number
  readonly end: number
}

export interface Token extends Range {
  /** False for a number and a literal: what takes their place needs quotes. */
  readonly isText: boolean
}

/** Reads a format piece by piece and says what to hide by its structure alone. All offsets are those of the whole text. */
export interface Scanner {
  /**
   * Goes on in `text`, which begins at `base` and still holds everything from `settled` on. With `isLast` nothing follows.
   */
  scan(text: string, base: number, isLast: boolean): Span[]
  /** Everything before this offset has been decided. */
  readonly settled: number
  /** Strings, bare values and cells that were read since it was asked last, without their quotes, in order. */
  takeTokens?(): readonly Token[]
  /** Up to here everything was read as its format has it; what is replaced must not change that. */
  readonly soundTo?: number
}
