/** A file that is not redacted, or a run that is not begun, and why; the message names no content. */
export class RedactError extends Error {
  override readonly name = 'RedactError'
}

/** The code of an error of Node or SQLite, for messages: their own texts may quote a path or a value. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
