import type { KnownValues } from '../known/known-values.ts'
import { isReplaced, PSEUDONYMS } from '../pseudonyms.ts'
import type { Span } from '../span.ts'
import { createCsvScanner } from '../structure/csv.ts'
import { findInText } from '../structure/find-in-text.ts'
import { createLayoutScanner } from '../structure/layout.ts'
import { jsonScanner } from '../structure/nested-json.ts'
import type { Scanner, Token } from '../structure/scanner.ts'
import { insideTokens } from './inside-tokens.ts'

export type TextKind = 'json' | 'csv' | 'text'

/** A stretch of a document: as it is, or to be replaced. */
export type Part = { readonly kind: 'text'; readonly text: string } | Hidden

export interface Hidden {
  readonly kind: 'hidden'
  readonly span: Span
  /** Everything that was found there; the span covers it. */
  readonly all: readonly Span[]
  /** The stretch before was the beginning of this one. */
  readonly goesOn: boolean
}

/** Takes a document in pieces of any size and gives it back in parts, in constant memory and in time that grows with its length. */
export interface DocumentReader {
  push(piece: string): readonly Part[]
  end(): readonly Part[]
}

/** Work is done when so much has come together. */
const BATCH_LENGTH = 256 * 1024
/** What comes after a stretch may still change it as far as this. */
const AHEAD_LENGTH = 16 * 1024
/** What stands before a stretch is still seen with it. */
const BEHIND_LENGTH = 1024
/** A stretch that is longer is replaced bit by bit. */
const HELD_LENGTH_MAX = 1024 * 1024

export interface DocumentOptions {
  readonly kind: TextKind
  /** Settings are read as such: every name counts. */
  readonly isSettings: boolean
  readonly known: KnownValues
}

export function createDocumentReader({ kind, isSettings, known }: DocumentOptions): DocumentReader {
  const scanner: Scanner =
    kind === 'json'
      ? jsonScanner({ isKnown: (value) => known.find(value).length > 0 })
      : kind === 'csv'
        ? createCsvScanner()
        : createLayoutScanner(isSettings)
  /** What has not been given back, after a little that has. */
  let held = ''
  let base = 0
  let done = 0
  /** Found by structure, beyond what was given back. */
  let pending: Span[] = []
  let tokens: readonly Token[] = []
  /** What was hidden reaches as far as this, or to the first match. */
  let hiddenTo = 0
  let until: RegExp | null = null

  const work = (isLast: boolean): readonly Part[] => {
    const parts: Part[] = []
    if (until !== null && !skipOpen(isLast)) return parts
    pending.push(...scanner.scan(held, base, isLast))
    tokens = [...tokens, ...(scanner.takeTokens?.() ?? [])].filter(({ end }) => end > done)
    const found = [...findInText(held), ...known.find(held)].map((span) => moved(span, base))
    const end = base + held.length
    let cut = isLast ? end : cutBefore(Math.min(end - AHEAD_LENGTH, scanner.settled))
    const { spans, covered } = merged(
      outsidePseudonyms(
        [...pending, ...shaped(found)].filter((span) => span.end > done),
        held,
        base,
      ),
    )
    if (!isLast) {
      for (const span of spans.toReversed())
        if (span.start < cut && span.end > cut && span.end > hiddenTo) cut = span.start
      if (cut <= done) {
        if (held.length < HELD_LENGTH_MAX) return parts
        cut = Math.max(done, end - AHEAD_LENGTH)
      }
    }
    give(parts, { spans, covered }, cut, end)
    pending = pending.filter((span) => span.end > cut)
    const keepFrom = Math.max(base, Math.min(cut - BEHIND_LENGTH, scanner.settled))
    held = held.slice(keepFrom - base)
    base = keepFrom
    done = cut
    return parts
  }

  const shaped = (found: readonly Span[]): readonly Span[] => {
    if (kind === 'text') return found
    const soundTo = Math.min(scanner.settled, scanner.soundTo ?? 0)
    const inTokens = found.filter(({ start }) => start < soundTo)
    const beyond = found.filter(({ start }) => start >= soundTo)
    return [
      ...insideTokens(inTokens, { held, base, tokens, soundTo, kind }),
      ...(kind === 'json' ? beyond.map((span) => insideString(span, held, base)) : beyond),
    ]
  }

  /** Between two lines where there are any. */
  const cutBefore = (most: number): number => {
    const line = held.lastIndexOf('\n', most - base - 1)
    return line >= 0 && base + line + 1 > done && most - (base + line) < BATCH_LENGTH / 2
      ? base + line + 1
      : most
  }

  const give = (parts: Part[], { spans, covered }: Merged, cut: number, end: number) => {
    let at = Math.max(done, Math.min(hiddenTo, cut))
    for (const span of spans) {
      if (span.start >= cut) break
      if (span.end <= at) continue
      if (span.start > at)
        parts.push({ kind: 'text', text: held.slice(at - base, span.start - base) })
      parts.push({
        kind: 'hidden',
        span,
        all: [...(covered.get(span) ?? []), span],
        goesOn: span.start <= hiddenTo && hiddenTo > 0 && at === hiddenTo,
      })
      hiddenTo = span.end
      at = Math.min(span.end, cut)
      if (span.end === end && cut < end) until = span.until ?? /\n/
    }
    if (at < cut) parts.push({ kind: 'text', text: held.slice(at - base, cut - base) })
  }

  /** Goes over the rest of a stretch whose end had not been seen. False while it has not. */
  const skipOpen = (isLast: boolean): boolean => {
    const from = Math.max(0, hiddenTo - base)
    const found = until?.exec(held.slice(from))
    if (found === null || found === undefined) {
      const keep = isLast ? 0 : Math.min(128, held.length - from)
      hiddenTo = base + held.length - keep
      scanner.scan(held, base, false)
      held = held.slice(held.length - keep)
      base = hiddenTo
      done = hiddenTo
      return false
    }
    hiddenTo += found.index + (until?.source === '\\n' ? 0 : found[0].length)
    done = hiddenTo
    until = null
    return true
  }

  return {
    push(piece) {
      held += piece
      return base + held.length - done < BATCH_LENGTH + AHEAD_LENGTH ? [] : work(false)
    },
    end: () => work(true),
  }
}

/** Where JSON is damaged, a stretch found in running text at least does not leave the string in which it begins. */
function insideString(span: Span, held: string, base: number): Span {
  const { start, end, kind } = span
  if (kind === 'known') return span
  for (let at = start - base; at < end - base; at += 1) {
    const code = held.charCodeAt(at)
    if (code === 0x5c) at += 1
    else if (code === 0x22 || code === 0x0a) {
      const { until: _, ...rest } = span
      return { ...rest, end: base + at, value: held.slice(start - base, at), certainty: 'here' }
    }
  }
  return span
}

/** What was replaced already stays: a stretch inside of a pseudonym, and one that is nothing but pseudonyms. */
function outsidePseudonyms(spans: readonly Span[], held: string, base: number): readonly Span[] {
  if (spans.length === 0) return spans
  const places = [...held.matchAll(PSEUDONYMS)].map(({ 0: text, index }) => ({
    start: base + index,
    end: base + index + text.length,
  }))
  if (places.length === 0) return spans
  const sorted = spans.toSorted((one, other) => one.start - other.start)
  let next = 0
  return sorted.filter((span) => {
    while ((places[next]?.end ?? Number.POSITIVE_INFINITY) <= span.start) next += 1
    const place = places[next]
    // What the configuration names is hidden whatever it looks like.
    if (place === undefined || place.start >= span.end || span.kind === 'known') return true
    return (
      !(span.start >= place.start && span.end <= place.end) &&
      !isReplaced(held.slice(span.start - base, span.end - base))
    )
  })
}

function moved(span: Span, by: number): Span {
  return { ...span, start: span.start + by, end: span.end + by }
}

interface Merged {
  readonly spans: readonly Span[]
  /** What was merged into a stretch. */
  readonly covered: ReadonlyMap<Span, readonly Span[]>
}

/** In order and without overlaps: of stretches that overlap, one that covers all of them. */
export function merged(spans: readonly Span[]): Merged {
  const sorted = spans
    .filter(({ start, end }) => end > start)
    .toSorted((one, other) => one.start - other.start || other.end - one.end)
  const out: Span[] = []
  const covered = new Map<Span, Span[]>()
  for (const span of sorted) {
    const last = out.at(-1)
    if (last === undefined || span.start >= last.end) {
      out.push(span)
      continue
    }
    const both = joined(last, span)
    // Handed on, not copied: one stretch may cover thousands.
    const parts = covered.get(last) ?? []
    if (both !== last) parts.push(last)
    if (both !== span) parts.push(span)
    covered.delete(last)
    covered.set(both, parts)
    out[out.length - 1] = both
  }
  return { spans: out, covered }
}

function joined(one: Span, other: Span): Span {
  const isSame = one.start === other.start && one.end === other.end
  if (other.end <= one.end)
    return isSame && isSurer(other, one)
      ? withQuote(other, one.quote)
      : withQuote(one, isSame ? other.quote : undefined)
  const open = other.until === undefined ? {} : { until: other.until }
  const both = {
    start: one.start,
    end: other.end,
    kind: 'secret',
    value: `${one.value}${other.value}`,
    certainty: 'here',
    ...open,
  } as const
  return one.quote === other.quote ? withQuote(both, one.quote) : both
}

/** What is known gives a value the same pseudonym wherever it stands; an address keeps the look of one. */
function isSurer(one: Span, other: Span): boolean {
  return rank(one) > rank(other)
}

function rank({ kind, certainty }: Span): number {
  if (kind === 'email') return 4
  if (kind === 'known') return 3
  // A UUID looks like a random text as well.
  return kind === 'secret' ? (certainty === 'named' ? 2 : 0) : 1
}

function withQuote(span: Span, quote: string | undefined): Span {
  return quote === undefined || span.quote !== undefined ? span : { ...span, quote }
}
