import type { Span } from '../span.ts'

const BEGIN =
  /-----BEGIN [A-Z0-9 ]{1,64}-----|---- BEGIN [A-Z0-9 ]{1,64} ----|PuTTY-User-Key-File-\d/g
/** The last line of a block. */
const END = /-----END [A-Z0-9 ]{1,64}-----|---- END [A-Z0-9 ]{1,64} ----|Private-MAC: ?[0-9a-f]+/g
/** A line inside of a block: Base64, a header, or an empty line. */
const ARMOUR = /^[ \t>|#"'+]*(?:[A-Za-z0-9+/=\\_-]*|[A-Z][\w-]{0,40}: [^\n]*)[ \t"',]*\r?$/

/** Keys and messages in armour, from their first line to their last. One that was cut off ends with its last line of Base64. */
export function blocksIn(text: string): Span[] {
  const spans: Span[] = []
  let from = 0
  let end: RegExpExecArray | null = null
  for (const { 0: begin, index } of text.matchAll(BEGIN)) {
    if (index < from) continue
    if (spans.length === 0 || (end !== null && end.index < index)) {
      END.lastIndex = index
      end = END.exec(text)
    }
    // Another block that begins before this one ends: this one was cut off.
    const whole =
      end !== null &&
      !/-----BEGIN /.test(
        text.slice(index + begin.length, Math.min(end.index, index + begin.length + 65_536)),
      )
        ? end
        : null
    from = whole === null ? armourEnd(text, index) : whole.index + whole[0].length
    const value = text.slice(index, from)
    spans.push({
      start: index,
      end: from,
      kind: 'secret',
      value,
      certainty: 'shape',
      ...(from === text.length && whole === null ? { until: BLOCK_END } : {}),
    })
  }
  return spans
}

/** The end of a block that is longer than what is held in memory at once. */
export const BLOCK_END =
  /-----END [A-Z0-9 ]{1,64}-----|---- END [A-Z0-9 ]{1,64} ----|Private-MAC: ?[0-9a-f]+/

function armourEnd(text: string, index: number): number {
  let at = text.indexOf('\n', index)
  while (at >= 0) {
    const next = text.indexOf('\n', at + 1)
    const line = text.slice(at + 1, next < 0 ? text.length : next)
    if (!ARMOUR.test(line)) return at
    at = next
  }
  return text.length
}
