import type { Span } from '../span.ts'
import type { Token } from '../structure/structure.ts'

export interface TokensRead {
  /** The text in memory, and its offset. */
  readonly held: string
  readonly base: number
  /** Tokens read from the text, in order and without quotes. */
  readonly tokens: readonly Token[]
  /** From this offset on the text is damaged or was not read yet. */
  readonly soundTo: number
  readonly kind: 'json' | 'csv'
}

/**
 * Cuts the stretches found before `soundTo` without regard to structure, so that JSON and CSV stay valid: inside strings and cells, with their
 * escapes whole, and in place of a number only with quotes. A long number by itself is left to the parser: it looks like many things.
 */
export function insideTokens(spans: readonly Span[], place: TokensRead): readonly Span[] {
  const { tokens, soundTo } = place
  const out: Span[] = []
  let first = 0
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    while ((tokens[first]?.end ?? Number.POSITIVE_INFINITY) <= span.start) first += 1
    const opening = tokens[first]
    const startsInside = opening?.isText === true && opening.start <= span.start
    // A shape ends with the JSON string in which it begins; a known value may span several.
    const isOne = startsInside && span.kind !== 'known' && place.kind === 'json'
    for (let index = first; index < tokens.length; index += 1) {
      const token = tokens[index]
      if (token === undefined || token.start >= span.end || (isOne && index > first)) break
      const part = partIn(span, token, place)
      if (part !== null) out.push(part)
    }
    if (!isOne && span.end > soundTo) out.push({ ...span, start: soundTo, certainty: 'here' })
  }
  return out
}

/** A number of at least this length is left to the parser, which knows its name. */
const NUMBER_LENGTH_MIN = 6

function partIn(span: Span, token: Token, place: TokensRead): Span | null {
  if (span.start >= token.start && span.end <= token.end && token.isText)
    return withWholeEscapes(span, token, place)
  const { held, base } = place
  const start = Math.max(span.start, token.start)
  const end = Math.min(span.end, token.end)
  if (end <= start) return null
  const { until: _, ...rest } = span
  if (token.isText)
    return withWholeEscapes(
      { ...rest, start, end, value: held.slice(start - base, end - base), certainty: 'here' },
      token,
      place,
    )
  if (token.end - token.start >= NUMBER_LENGTH_MIN && span.end <= token.end + 1) return null
  return {
    ...rest,
    start: token.start,
    end: token.end,
    value: held.slice(token.start - base, token.end - base),
    certainty: 'here',
    quote: '"',
  }
}

/** Length of the longest escape. */
const ESCAPE_LENGTH_MAX = 6
/** Most backslashes or quotes in a row that are counted, to bound the time. */
const REPEATED_MAX = 4096

function withWholeEscapes(span: Span, token: Token, { held, base, kind }: TokensRead): Span {
  const around = kind === 'json' ? escapeAround : doubledAround
  const start = around(held, span.start - base, token.start - base, 'start') + base
  const end = Math.min(token.end, around(held, span.end - base, token.start - base, 'end') + base)
  return start === span.start && end === span.end ? span : { ...span, start, end }
}

/** Offset at one side of the doubled CSV quote that `at` is in the middle of. */
function doubledAround(held: string, at: number, from: number, side: 'start' | 'end'): number {
  let count = 0
  while (count < REPEATED_MAX && at - count > from && held[at - count - 1] === '"') count += 1
  return count % 2 === 1 && held[at] === '"' ? (side === 'start' ? at - 1 : at + 1) : at
}

/** Offset at one side of the escape that `at` is inside of; `at` itself outside of escapes. */
function escapeAround(held: string, at: number, from: number, side: 'start' | 'end'): number {
  for (let slash = at - 1; slash >= from && at - slash < ESCAPE_LENGTH_MAX; slash -= 1) {
    if (held[slash] !== '\\') continue
    let count = 1
    while (count < REPEATED_MAX && slash - count >= from && held[slash - count] === '\\') count += 1
    // Two backslashes are one escape, so the last of an odd number begins one.
    const length = count % 2 === 1 ? (held[slash + 1] === 'u' ? ESCAPE_LENGTH_MAX : 2) : 0
    return slash + length > at ? (side === 'start' ? slash : slash + length) : at
  }
  return at
}
