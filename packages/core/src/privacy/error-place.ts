/** The code or name of an error and the place in our code that threw it. Its message is left out, because it may quote anything. */
export function errorPlace(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const name = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const frames = (error.stack ?? '').replace(error.message, '')
  const place = /\n\s+at [^\n]*?([\w.-]+:\d+:\d+)\)?(?:\n|$)/.exec(frames)?.[1]
  return place === undefined ? name : `${name} at ${place}`
}

/** The code of an error of Node, as in `ENOENT`, for messages; the error's own text may quote anything. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
