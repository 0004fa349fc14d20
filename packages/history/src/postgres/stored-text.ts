/** The form of a text that PostgreSQL can store: it has no NUL, and the driver replaces half a surrogate pair by U+FFFD. */
export function storedText(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\uFFFD')).toString()
}
