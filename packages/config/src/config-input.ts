/**
 * Parts of a path that a shell, systemd or Windows would replace: `~`, `%h` and variables at the start, the user's name anywhere. Anything else in
 * the middle is taken literally, because a folder may really have such a name.
 */
const REPLACED_ELSEWHERE = [
  /^(~)/,
  /^(%[a-zA-Z])(?=[\\/]|$)/,
  /^(%[A-Z_]+%)/,
  // A name in capitals is a variable; anything else might be part of a secret, entered in place of its file.
  /^(\$\{[A-Z_]+\}|\$[A-Z_]+)(?=\W|$)/,
  /^(\$)[{(A-Za-z_]/,
  /[\\/](\$\{(?:USER|LOGNAME)\}|\$(?:USER|LOGNAME)|%USERNAME%)(?=[\\/]|$)/,
]

/** Reason to refuse a path that was meant for a shell; null for any other path. A file that really has such a name is reached by a leading `./`. */
export function unexpandedIn(path: string): string | null {
  const part = REPLACED_ELSEWHERE.map((form) => form.exec(path)?.[1]).find((found) => found)
  return part === undefined ? null : `\`${part}\` is not expanded here: write the whole path`
}

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

/** Layer a value comes from. */
export type ConfigSource = 'flag' | 'env' | 'file' | 'default'

/** All inputs of the configuration. Nothing else is read, so that a test can supply all of them. */
export interface ConfigInput {
  /** Values of the given flags, by flag name without dashes. */
  readonly flags: Readonly<Record<string, string | readonly string[]>>
  readonly configFlag: string | null
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly homeDir: string
  /** IANA zone of the machine; null if unknown. */
  readonly hostTimeZone: string | null
  readonly demo: boolean
  /** Reads a text file; throws the errors of node:fs. */
  readonly readTextFile: (path: string) => string
}

export interface Given {
  readonly raw: unknown
  readonly source: ConfigSource
  /** Place of the value, as in `--port`, `SVC_QUOTA_MONITOR_PORT` or `config.toml line 3`. */
  readonly place: string
  /** Folder that a relative path is resolved against. */
  readonly folder: string
}

const VALUE_LENGTH_SHOWN = 64

/** Formats a value for a message, cut to a maximum length. */
export function shownRaw(raw: unknown): string {
  // JSON cannot express the infinities of TOML.
  const text = typeof raw === 'number' ? String(raw) : JSON.stringify(raw)
  return text.length > VALUE_LENGTH_SHOWN ? `${text.slice(0, VALUE_LENGTH_SHOWN)}…` : text
}
