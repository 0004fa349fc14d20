/** Reason that a file is not redacted or that a run does not start; the message contains no file content. */
export class RedactError extends Error {
  override readonly name = 'RedactError'
}
