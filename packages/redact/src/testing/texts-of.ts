import { textOf } from '../byte-text.ts'
import type { Span } from '../span.ts'

/** What each span covers of a byte text, in the order in which it stands there. */
export function textsOf(bytes: string, spans: readonly Span[]): readonly string[] {
  return spans
    .toSorted((one, other) => one.start - other.start || one.end - other.end)
    .map(({ start, end }) => textOf(bytes.slice(start, end)))
}
