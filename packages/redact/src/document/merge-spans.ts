import type { Span } from '../span.ts'

export interface Merged {
  readonly spans: readonly Span[]
  /** Stretches merged into each stretch. */
  readonly covered: ReadonlyMap<Span, readonly Span[]>
}

/** Sorts stretches and replaces overlapping ones by one that covers them all. */
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
    const both = join(last, span)
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

function join(one: Span, other: Span): Span {
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

/** Whether one stretch wins over another: a known value keeps the same pseudonym everywhere, and an address keeps looking like one. */
function isSurer(one: Span, other: Span): boolean {
  return rank(one) > rank(other)
}

function rank({ kind, certainty }: Span): number {
  if (kind === 'email') return 4
  if (kind === 'known') return 3
  // A UUID also looks like random text.
  return kind === 'secret' ? (certainty === 'named' ? 2 : 0) : 1
}

function withQuote(span: Span, quote: string | undefined): Span {
  return quote === undefined || span.quote !== undefined ? span : { ...span, quote }
}
