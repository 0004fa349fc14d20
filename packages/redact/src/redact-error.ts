/** Reason that a file is not redacted or that a run does not start; the message contains no file content. */
export class RedactError extends Error {
  override readonly name = 'RedactError'
}

/** The code of an error of Node or SQLite, for messages. The error's own text may quote a path or a value. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
