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

/** A value in the form a message may repeat, cut to a maximum length. */
export function shownRaw(raw: unknown): string {
  // JSON cannot express the infinities of TOML.
  const text = typeof raw === 'number' ? String(raw) : JSON.stringify(raw)
  return text.length > VALUE_LENGTH_SHOWN ? `${text.slice(0, VALUE_LENGTH_SHOWN)}…` : text
}
