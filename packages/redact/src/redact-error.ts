/** A file that is not redacted, or a run that is not begun, and why; the message names no content. */
export class RedactError extends Error {
  override readonly name = 'RedactError'
}
