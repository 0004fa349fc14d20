import type { SettingKind } from './setting-kinds.ts'

/** The parts of `Config`, each for one consumer that is handed all of it, and where help and documentation list their settings. */
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
/** Under which help and documentation list settings. */
export type SettingHeading = (typeof headings)[SettingGroup]

/** One key of the configuration; flag, environment name, TOML key and the property of `Config` follow from it. */
export interface Setting<
  Key extends string = string,
  Group extends SettingGroup = SettingGroup,
  Value = unknown,
> {
  /** TOML key, lower_snake. */
  readonly key: Key
  /** The part of `Config` it is in. */
  readonly group: Group
  readonly kind: SettingKind<Value>
  /** Its value where nothing is given; null: not set. */
  readonly fallback: NoInfer<Value>
  /** How the default reads in help, where the value itself does not say it. */
  readonly fallbackText?: string
  /** What the flag takes, as in `<path>`. */
  readonly placeholder: string
  readonly help: string
  /** Flag, where it is not the key. */
  readonly flag?: string
  readonly repeatable?: boolean
  /** Files, keys, stores and the proxy do not exist for the demo. */
  readonly ignoredInDemo: boolean
}

/** Where help and documentation list a setting. */
export function headingOf({ group }: Setting): SettingHeading {
  return headings[group]
}

/** Name of its property in its group of `Config`. */
export function propertyOf({ key }: Setting): string {
  return key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

export const ENV_PREFIX = 'SVC_QUOTA_MONITOR_'
/** Selects the config file. */
export const CONFIG_ENV = `${ENV_PREFIX}CONFIG`
/** Holds the management key itself; the only place but a file where it may stand. */
export const MANAGEMENT_KEY_ENV = `${ENV_PREFIX}MANAGEMENT_KEY`

/** Name of the flag, without dashes in front. */
export function flagOf({ key, flag }: Setting): string {
  return flag ?? key.replaceAll('_', '-')
}

/** Name of the environment variable. */
export function envNameOf({ key }: Setting): string {
  return ENV_PREFIX + key.toUpperCase()
}
