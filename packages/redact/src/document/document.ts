import type { KnownValues } from '../known/known-values.ts'
import { isReplaced, PSEUDONYMS } from '../pseudonyms.ts'
import type { Span } from '../span.ts'
import { createScanner, findInText, type Scanner, type Token } from '../structure/structure.ts'
import { withoutControlSequences } from './control-sequences.ts'
import { insideTokens } from './inside-tokens.ts'
import { type Merged, merged } from './merge-spans.ts'
import type { DocumentReader, Part } from './parts.ts'

export type TextKind = 'json' | 'csv' | 'text'

/** Length of text at which a batch is processed. */
const BATCH_LENGTH = 64 * 1024
/** Text up to this far after a stretch may still change it. */
const AHEAD_LENGTH = 16 * 1024
/** Length of text before a stretch that is still seen with it. */
const BEHIND_LENGTH = 1024
/** A longer stretch is replaced piece by piece. */
const HELD_LENGTH_MAX = 1024 * 1024

export interface DocumentOptions {
  readonly kind: TextKind
  /** In settings every name counts. */
  readonly isSettings: boolean
  readonly known: KnownValues
}

export function createDocumentReader(options: DocumentOptions): DocumentReader {
  return withoutControlSequences(createPlainReader(options))
}

function createPlainReader({ kind, isSettings, known }: DocumentOptions): DocumentReader {
  const isKnown = (value: string) => known.find(value).length > 0
  const scanner = createScanner(kind, { isSettings, isKnown })
  const held: Held = { text: '', base: 0, done: 0, hiddenTo: 0, until: null }
  /** Stretches found by structure, beyond the text given back. */
  let pending: Span[] = []
  let tokens: readonly Token[] = []

  const found = (): Merged => {
    const { text, base, done } = held
    const inText = [...findInText(text), ...known.find(text)].map((span) => shift(span, base))
    const shaped = kind === 'text' ? inText : insideFormat(inText, held, scanner, tokens, kind)
    return merged(
      outsidePseudonyms(
        [...pending, ...shaped].filter((span) => span.end > done),
        text,
        base,
      ),
    )
  }
  const work = (isLast: boolean): readonly Part[] => {
    const parts: Part[] = []
    if (held.until !== null && !skipOpen(held, scanner, isLast)) return parts
    pending.push(...scanner.scan(held.text, held.base, isLast))
    tokens = [...tokens, ...(scanner.takeTokens?.() ?? [])].filter(({ end }) => end > held.done)
    const all = found()
    const end = held.base + held.text.length
    let cut = isLast ? end : cutBefore(held, Math.min(end - AHEAD_LENGTH, scanner.settled))
    if (!isLast) {
      for (const span of all.spans.toReversed())
        if (span.start < cut && span.end > cut && span.end > held.hiddenTo) cut = span.start
      if (cut <= held.done) {
        if (held.text.length < HELD_LENGTH_MAX) return parts
        cut = Math.max(held.done, end - AHEAD_LENGTH)
      }
    }
    give(held, parts, all, cut)
    pending = pending.filter((span) => span.end > cut)
    const keepFrom = Math.max(held.base, Math.min(cut - BEHIND_LENGTH, scanner.settled))
    held.text = held.text.slice(keepFrom - held.base)
    held.base = keepFrom
    held.done = cut
    return parts
  }

  return {
    push(piece) {
      held.text += piece
      return held.base + held.text.length - held.done < BATCH_LENGTH + AHEAD_LENGTH
        ? []
        : work(false)
    },
    end: () => work(true),
  }
}

/** The part of a document in memory. Offsets are those of the document. */
interface Held {
  /** Text not given back yet, after a little that was. */
  text: string
  /** Offset of the start of the text. */
  base: number
  /** Offset up to which the text was given back. */
  done: number
  /** Offset up to which an open stretch hides the text; with `until`, it goes on to the first match of that. */
  hiddenTo: number
  until: RegExp | null
}

/** Cuts stretches found in running text so that the format stays valid. */
function insideFormat(
  found: readonly Span[],
  { text: held, base }: Held,
  scanner: Scanner,
  tokens: readonly Token[],
  kind: 'json' | 'csv',
): readonly Span[] {
  const soundTo = Math.min(scanner.settled, scanner.soundTo ?? 0)
  const inTokens = found.filter(({ start }) => start < soundTo)
  const beyond = found.filter(({ start }) => start >= soundTo)
  return [
    ...insideTokens(inTokens, { held, base, tokens, soundTo, kind }),
    ...(kind === 'json' ? beyond.map((span) => insideString(span, held, base)) : beyond),
  ]
}

/** Offset of a cut, between two lines if possible. */
function cutBefore({ text, base, done }: Held, most: number): number {
  const line = text.lastIndexOf('\n', most - base - 1)
  return line >= 0 && base + line + 1 > done && most - (base + line) < BATCH_LENGTH / 2
    ? base + line + 1
    : most
}

/** Adds the text before the cut to the parts. */
function give(held: Held, parts: Part[], { spans, covered }: Merged, cut: number): void {
  const { text, base } = held
  const end = base + text.length
  let at = Math.max(held.done, Math.min(held.hiddenTo, cut))
  for (const span of spans) {
    if (span.start >= cut) break
    if (span.end <= at) continue
    if (span.start > at)
      parts.push({ kind: 'text', start: at, text: text.slice(at - base, span.start - base) })
    parts.push({
      kind: 'hidden',
      span,
      all: [...(covered.get(span) ?? []), span],
      goesOn: span.start <= held.hiddenTo && held.hiddenTo > 0 && at === held.hiddenTo,
    })
    held.hiddenTo = span.end
    at = Math.min(span.end, cut)
    if (span.end === end && cut < end) held.until = span.until ?? /\n/
  }
  if (at < cut) parts.push({ kind: 'text', start: at, text: text.slice(at - base, cut - base) })
}

/** Skips the rest of a stretch whose end had not been seen. False while it still has not. */
function skipOpen(held: Held, scanner: Scanner, isLast: boolean): boolean {
  const { text, base, until } = held
  const from = Math.max(0, held.hiddenTo - base)
  const found = until?.exec(text.slice(from))
  if (found === null || found === undefined) {
    const keep = isLast ? 0 : Math.min(128, text.length - from)
    held.hiddenTo = base + text.length - keep
    scanner.scan(text, base, false)
    held.text = text.slice(text.length - keep)
    held.base = held.hiddenTo
    held.done = held.hiddenTo
    return false
  }
  held.hiddenTo += found.index + (until?.source === '\\n' ? 0 : found[0].length)
  held.done = held.hiddenTo
  held.until = null
  return true
}

/** Keeps a stretch found in running text inside the string in which it begins, for damaged JSON. */
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

/** Drops stretches inside a pseudonym, and those that consist only of pseudonyms: they were replaced already. */
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
    // Configured values are hidden even inside a pseudonym.
    if (place === undefined || place.start >= span.end || span.kind === 'known') return true
    return (
      !(span.start >= place.start && span.end <= place.end) &&
      !isReplaced(held.slice(span.start - base, span.end - base))
    )
  })
}

function shift(span: Span, by: number): Span {
  return { ...span, start: span.start + by, end: span.end + by }
}
