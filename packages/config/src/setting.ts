import { isAbsolute, resolve } from 'node:path'
import * as v from 'valibot'
import { type ConfigProblem, type Given, shownRaw } from './config-input.ts'
import type { SettingKind } from './setting-kinds.ts'

/** Reads the value given for a setting. Relative paths become absolute; an invalid value gives a problem. */
export function readValue(
  { key, kind }: Pick<Setting, 'key' | 'kind'>,
  { raw, source, place, folder }: Given,
): { readonly value: unknown } | ConfigProblem {
  const refusal = kind.refusal?.(raw) ?? null
  if (refusal !== null) {
    const code = refusal.isSecret ? 'secret_not_allowed' : 'invalid_value'
    return { code, message: `${key} from ${place}: ${refusal.why}` }
  }
  const read = v.safeParse(
    kind.schema,
    source !== 'file' && kind.numeric === true ? numberIn(raw) : raw,
  )
  if (read.success) {
    const { output } = read
    const isRelative =
      typeof output === 'string' && kind.isPath?.(output) === true && !isAbsolute(output)
    return { value: isRelative ? resolve(folder, output) : output }
  }
  // Text before an `@` may be a password.
  const isHarmless = kind.secret !== true && !JSON.stringify(raw).includes('@')
  const shown = isHarmless ? `, not ${shownRaw(raw)}` : ''
  return {
    code: 'invalid_value',
    message: `${key} from ${place}: expected ${kind.allowed}${shown}`,
  }
}

/** Converts a plain decimal number, because flags and variables are always text. Returns other values unchanged. */
function numberIn(raw: unknown): unknown {
  return typeof raw === 'string' && /^(?:0|[1-9]\d*)(?:\.\d+)?$/.test(raw) ? Number(raw) : raw
}

/** Groups of `Config`, each with its heading in help and documentation. A consumer receives a whole group. */
const headings = {
  server: 'Listener',
  upstream: 'Proxy',
  fleet: 'Proxy',
  quota: 'Quota',
  capacity: 'Quota',
  usage: 'History',
  history: 'History',
  benchmark: 'History',
  display: 'Display and alerts',
  alerts: 'Display and alerts',
  log: 'Log',
} as const

export type SettingGroup = keyof typeof headings
/** Heading under which help and documentation list settings. */
export type SettingHeading = (typeof headings)[SettingGroup]

/** One key of the configuration; its flag, environment name, TOML key and property of `Config` all follow from it. */
export interface Setting<
  Key extends string = string,
  Group extends SettingGroup = SettingGroup,
  Value = unknown,
> {
  /** TOML key in snake_case. */
  readonly key: Key
  /** Group of `Config` that the setting belongs to. */
  readonly group: Group
  readonly kind: SettingKind<Value>
  /** Default value; null: not set. */
  readonly fallback: NoInfer<Value>
  /** Text for the default in help, if the value itself is not clear enough. */
  readonly fallbackText?: string
  /** Placeholder of the flag's argument in help, as in `<path>`. */
  readonly placeholder: string
  readonly help: string
  /** Name of the flag, if it differs from the key. */
  readonly flag?: string
  readonly repeatable?: boolean
  /** True for settings that the demo takes too; it has no files, keys, stores and proxy. */
  readonly inDemo?: true
}

export function headingOf({ group }: Setting): SettingHeading {
  return headings[group]
}

/** Name of the setting's property in its group of `Config`. */
export function propertyOf({ key }: Pick<Setting, 'key'>): string {
  return key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

export const ENV_PREFIX = 'SVC_QUOTA_MONITOR_'
/** Environment variable that names the config file. */
export const CONFIG_ENV = `${ENV_PREFIX}CONFIG`
/** Environment variable that holds the management key itself; the only alternative to a key file. */
export const MANAGEMENT_KEY_ENV = `${ENV_PREFIX}MANAGEMENT_KEY`

/** Environment variable that names a file of headers for commands that query a running service. */
export const URL_HEADERS_FILE_ENV = `${ENV_PREFIX}URL_HEADERS_FILE`

/** Name of the flag, without leading dashes. */
export function flagOf({ key, flag }: Setting): string {
  return flag ?? key.replaceAll('_', '-')
}

export function envNameOf({ key }: Setting): string {
  return ENV_PREFIX + key.toUpperCase()
}
