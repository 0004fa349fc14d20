/** Kind of mistake in a configuration. */
export type ConfigErrorCode =
  | 'unknown_key'
  | 'invalid_value'
  | 'secret_not_allowed'
  | 'missing_file'
  | 'unreadable_file'
  | 'invalid_toml'
  | 'conflict'

/** One mistake. The message is one line that names the key, the source of the value and what is allowed. */
export interface ConfigProblem {
  readonly code: ConfigErrorCode
  readonly message: string
}

/** A configuration with mistakes, which cannot be used. `code` and the message describe the first mistake; the message also counts the others. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode
  /** All mistakes, at least one. */
  readonly problems: readonly ConfigProblem[]

  constructor(first: ConfigProblem, ...others: readonly ConfigProblem[]) {
    const { code, message } = oneLine(first)
    super(
      others.length === 0
        ? message
        : `${message} (and ${others.length} more; doctor lists all of them)`,
    )
    this.name = 'ConfigError'
    this.code = code
    this.problems = [first, ...others].map(oneLine)
  }
}

/** Removes control characters, because a path or a variable's name may contain line breaks. */
function oneLine({ code, message }: ConfigProblem): ConfigProblem {
  return { code, message: message.replace(/\p{Cc}+/gu, ' ') }
}
