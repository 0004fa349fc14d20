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

/** Reads a text that is laid out in lines. Each line continues those before. */
export interface LineReader {
  /** `at`: offset of the line, which comes without its break. */
  takeLine(line: string, at: number): readonly Span[]
}

/** Every line without its break, and its offset. */
export function* linesOf(text: string): Generator<readonly [string, number]> {
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at)
    const end = newline < 0 ? text.length : newline
    yield [text.slice(at, text.charCodeAt(end - 1) === 0x0d ? end - 1 : end), at]
    at = end + 1
  }
}

/** Hidden stretches of the lines of a text that begins at `base`. */
export function hiddenInLines(text: string, base: number, readers: readonly LineReader[]): Span[] {
  const spans: Span[] = []
  for (const [line, at] of linesOf(text))
    for (const reader of readers) spans.push(...reader.takeLine(line, base + at))
  return spans
}
