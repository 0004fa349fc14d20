export type ConfigErrorCode =
  | 'unknown_key'
  | 'invalid_value'
  | 'secret_not_allowed'
  | 'missing_file'
  | 'unreadable_file'
  | 'invalid_toml'
  | 'conflict'

/** A configuration nobody can run with. The message is one line that names the key, where it came from and what is allowed. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode

  constructor(code: ConfigErrorCode, message: string) {
    // A path or a variable's name may hold line breaks.
    super(message.replace(/\p{Cc}+/gu, ' '))
    this.name = 'ConfigError'
    this.code = code
  }
}
