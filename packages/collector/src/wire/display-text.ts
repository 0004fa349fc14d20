/** Control characters, line and paragraph separators, and the marks that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu
const LONE_SURROGATE = /\p{Surrogate}/gu

/** Makes foreign text fit for one line: at most `lengthMax` UTF-16 units, no control characters, well-formed. */
export function displayText(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(UNPRINTABLE, '').replace(LONE_SURROGATE, '\uFFFD').trim()
}
