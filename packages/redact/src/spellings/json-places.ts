import type { Span } from '../span.ts'

/** Knows where the strings of a JSON document are, so that what takes the place of a known value leaves a document that can be read. */
export interface JsonPlaces {
  /** The next piece of the document. */
  push(piece: string): void
  /** Offsets before this one are asked for no more. */
  forget(before: number): void
  /** The stretch without what would break the document around it; null when nothing is left. `text` begins at `base`. */
  fitted(span: Span, text: string, base: number): Span | null
}

const SIGNS = /["\\\n]/g
const BARE = /[A-Za-z0-9+.-]/
/** A longer word is no literal. */
const BARE_LENGTH_MAX = 128
/** Everything JSON has between strings that is a value. */
const LITERAL = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

export function createJsonPlaces(): JsonPlaces {
  /** Where strings begin and end, their quotes left out; without the one that is open. */
  let starts: number[] = []
  let ends: number[] = []
  let escapes: number[] = []
  let open: number | null = null
  let length = 0
  let skipped = 0

  const push = (piece: string): void => {
    SIGNS.lastIndex = skipped
    skipped = 0
    for (let match = SIGNS.exec(piece); match !== null; match = SIGNS.exec(piece)) {
      const at = length + match.index
      if (match[0] === '\\') {
        if (open === null) continue
        escapes.push(at)
        SIGNS.lastIndex += 1
        if (match.index + 1 === piece.length) skipped = 1
      } else if (open !== null) {
        // A line break ends a string that was cut off.
        starts.push(open)
        ends.push(at)
        open = null
      } else if (match[0] === '"') open = at + 1
    }
    length += piece.length
  }
  /** The string that holds this offset, or the next one. */
  const stringAt = (offset: number): readonly [number, number] | null => {
    const index = firstBehind(ends, offset)
    const [start, end] = [starts[index], ends[index]]
    if (start !== undefined && end !== undefined) return [start, end]
    return open === null ? null : [open, Number.POSITIVE_INFINITY]
  }
  /** The escape that begins before this offset and ends behind it. */
  const escapeAround = (offset: number, text: string, base: number): readonly [number, number] | null => {
    const start = escapes[firstBehind(escapes, offset - 1) - 1]
    if (start === undefined) return null
    const end = start + (text[start + 1 - base] === 'u' ? 6 : 2)
    return start < offset && offset < end ? [start, end] : null
  }

  return {
    push,
    forget(before) {
      const first = firstBehind(ends, before)
      starts = starts.slice(first)
      ends = ends.slice(first)
      escapes = escapes.slice(firstBehind(escapes, before - 6))
    },
    fitted(span, text, base) {
      const string = stringAt(span.start)
      const bare = firstBare(text, base, span.start, Math.min(span.end, string?.[0] ?? span.end))
      if (bare !== null) return fittedToBare(span, text, base, bare)
      if (string === null || string[0] >= span.end) return null
      const [from, to] = string
      const start = Math.max(from, escapeAround(span.start, text, base)?.[0] ?? span.start)
      const end = Math.min(to, escapeAround(Math.min(span.end, to), text, base)?.[1] ?? span.end)
      return start < end ? { ...span, start, end } : null
    },
  }
}

/** How many of the sorted offsets are not behind this one. */
function firstBehind(offsets: readonly number[], offset: number): number {
  let low = 0
  let high = offsets.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((offsets[middle] ?? 0) <= offset) low = middle + 1
    else high = middle
  }
  return low
}

/** The first sign between strings that belongs to a number or a word. */
function firstBare(text: string, base: number, from: number, to: number): number | null {
  for (let at = from; at < to; at += 1) if (BARE.test(text[at - base] ?? ' ')) return at
  return null
}

/** Whole numbers and words, with quotes; of neighbours in a list one text is made. What is no JSON stays as it is. */
function fittedToBare(span: Span, text: string, base: number, bare: number): Span {
  let start = bare - base
  while (bare - base - start < BARE_LENGTH_MAX && BARE.test(text[start - 1] ?? ' ')) start -= 1
  let end = start
  for (let next = start; next < span.end - base; ) {
    let to = next
    while (to - next < BARE_LENGTH_MAX && BARE.test(text[to] ?? ' ')) to += 1
    if (!LITERAL.test(text.slice(next, to))) break
    end = to
    next = to + (/^[ \t\r\n]*,[ \t\r\n]*(?=[-\d])/.exec(text.slice(to, to + 256))?.[0].length ?? text.length)
  }
  return end === start ? span : { ...span, start: base + start, end: base + end, quote: '"' }
}
