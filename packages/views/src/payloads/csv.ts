/** One line of CSV by RFC 4180. Foreign texts must be made harmless first. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quote).join(',')}\r\n`
}

/** The CSV head whose columns are these JSON members, in snake case. */
export function csvHead(names: readonly string[]): string {
  return csvLine(
    names.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  )
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Start of a text that a spreadsheet would execute: a formula sign, also full-width or after blanks, or a control character. */
const FORMULA = /^(?:\s*[=+\-@＝＋－＠]|\p{Cc})/u

/** A text that no spreadsheet executes: prefixed with `'` if it looks like a formula. */
export function harmlessText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/**
 * An id that no spreadsheet executes, equal in JSON and CSV so that both can be joined. The first character is percent-encoded if the id looks like a
 * formula.
 */
export function harmlessId(id: string): string {
  const [first = ''] = id
  return FORMULA.test(id) ? percentEncoded(first) + id.slice(first.length) : id
}

function percentEncoded(character: string): string {
  // `encodeURIComponent` does not encode a hyphen.
  return character === '-' ? '%2D' : encodeURIComponent(character)
}
