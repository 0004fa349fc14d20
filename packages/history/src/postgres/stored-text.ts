/** A text as PostgreSQL can store it: it takes no NUL, and the driver turns half a pair of surrogates into U+FFFD on the way. */
export function storedText(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\uFFFD')).toString()
}
