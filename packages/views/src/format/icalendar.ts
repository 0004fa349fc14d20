/** Longest line of iCalendar in octets, without its end. Source: RFC 5545 3.1. */
const LINE_OCTETS_MAX = 75

/** Lines of iCalendar, each folded where it is too long and never within a character. */
export function calendarText(lines: readonly string[]): string {
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

function folded(line: string): string {
  let text = ''
  let octets = 0
  for (const character of line) {
    const more = octetsOf(character.codePointAt(0) ?? 0)
    if (octets + more > LINE_OCTETS_MAX) {
      text += '\r\n '
      octets = 1
    }
    text += character
    octets += more
  }
  return text
}

/** Octets of a code point in UTF-8. */
function octetsOf(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

/** A text as the value of a property. Control characters, which no value may have, become spaces. Source: RFC 5545 3.3.11. */
export function calendarValue(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').replace(/[\\;,]/g, '\\$&')
}

/** An instant in UTC, as `20261120T120000Z`. */
export function calendarInstant(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
