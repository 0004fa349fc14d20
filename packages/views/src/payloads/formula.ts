/** Start of a text that a spreadsheet would run: a formula sign, also in full-width form or after blanks, or a control character. */
const FORMULA = /^(?:\s*[=+\-@＝＋－＠]|\p{Cc})/u

/** A text that no spreadsheet runs: one that looks like a formula gets a leading `'`. */
export function harmlessText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/**
 * An id that no spreadsheet runs, the same in JSON and CSV, so that the two can be joined. Of one that looks like a formula the first character is
 * percent-encoded; every other is as it is.
 */
export function harmlessId(id: string): string {
  const [first = ''] = id
  return FORMULA.test(id) ? percentEncoded(first) + id.slice(first.length) : id
}

function percentEncoded(character: string): string {
  // `encodeURIComponent` leaves a hyphen as it is.
  return character === '-' ? '%2D' : encodeURIComponent(character)
}
