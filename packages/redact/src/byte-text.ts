/**
 * Everything is looked through as _byte text_: one character for one byte, 0 to 255. Offsets are offsets in the file, bytes that are not
 * valid UTF-8 survive, and expressions run over one-byte strings. They name blanks one by one: `\s` would take the byte A0, which is part of letters.
 */
export function bytesOf(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1')
}

/** The text of byte text that is UTF-8; what is not becomes U+FFFD. */
export function textOf(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}

/** The same text in memory of its own: a stretch of a longer text keeps all of that in memory. */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1)
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every one of the first 128.
  return /^[\x00-\x7f]*$/.test(text)
}
