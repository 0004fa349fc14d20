import type { Redacted } from '@svc/core/service'
import {
  allowedHosts,
  baseUrl,
  choice,
  httpUrl,
  integer,
  numberOrOff,
  path,
  pathOrOff,
  type SettingKind,
  text,
  timeZone,
} from './setting-kinds.ts'

export type SettingGroup = 'Listener' | 'Proxy' | 'Quota' | 'History' | 'Display and alerts' | 'Log'

/** One key of the configuration; flag, environment name, TOML key and the property of `Config` follow from it. */
export interface Setting<Key extends string = string, Value = unknown> {
  /** TOML key, lower_snake. */
  readonly key: Key
  readonly group: SettingGroup
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

const LIVE_ONLY = { ignoredInDemo: true } as const
const ALWAYS = { ignoredInDemo: false } as const
const HOST = /^[A-Za-z0-9_.:-]{1,253}$/
const UNITS_MAX = 1_000_000

function setting<const Key extends string, Value>(entry: Setting<Key, Value>): Setting<Key, Value> {
  return entry
}

/** Of a setting that may be left unset. */
function optional<Value>(kind: SettingKind<Value>): SettingKind<Value | null> {
  return kind
}

const rows = [
  setting({
    ...ALWAYS,
    key: 'host',
    group: 'Listener',
    kind: text('a host name or IP address', HOST),
    fallback: '127.0.0.1',
    placeholder: '<address>',
    help: 'Address to listen on.',
  }),
  setting({
    ...ALWAYS,
    key: 'port',
    group: 'Listener',
    kind: integer(1, 65_535),
    fallback: 4515,
    fallbackText: '4515, demo 4516',
    placeholder: '<port>',
    help: 'Port to listen on.',
  }),
  setting({
    ...ALWAYS,
    key: 'allowed_hosts',
    flag: 'allowed-host',
    repeatable: true,
    group: 'Listener',
    kind: allowedHosts,
    fallback: [],
    fallbackText: 'none',
    placeholder: '<host[:port]>',
    help: 'Browser-facing names of this service; repeat the flag or separate by commas.',
  }),
  setting({
    ...ALWAYS,
    key: 'manual_quota_refresh_auth',
    group: 'Listener',
    kind: choice('page-token', 'management-key', 'none'),
    fallback: 'page-token',
    placeholder: '<mode>',
    help: 'Who may start a refresh: page-token, management-key or none.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'upstream_url',
    group: 'Proxy',
    kind: baseUrl,
    fallback: 'http://127.0.0.1:8317',
    placeholder: '<url>',
    help: 'Base URL of the proxy.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'gateway_health_url',
    group: 'Proxy',
    kind: httpUrl,
    fallback: '',
    fallbackText: 'healthz of the proxy',
    placeholder: '<url>',
    help: 'Address to ask whether the gateway is alive.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'management_key_file',
    group: 'Proxy',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'File that holds the management key of the proxy.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'refresh_seconds',
    group: 'Proxy',
    kind: integer(5, 3_600),
    fallback: 15,
    placeholder: '<seconds>',
    help: 'Time between two readings of the account list.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'upstream_timeout_seconds',
    group: 'Proxy',
    kind: integer(1, 300),
    fallback: 10,
    placeholder: '<seconds>',
    help: 'Time for one call to the proxy, headers and body.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'auth_dir',
    group: 'Quota',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'Directory of auth files, for quota_transport auth-files only.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'quota_transport',
    group: 'Quota',
    kind: choice('auto', 'api-call', 'auth-files', 'off'),
    fallback: 'auto',
    placeholder: '<name>',
    help: 'How quota is queried: auto, api-call (tokens stay in the proxy), auth-files or off.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'quota_probe_concurrency',
    group: 'Quota',
    kind: integer(1, 2),
    fallback: 2,
    placeholder: '<count>',
    help: 'Quota queries under way at once.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'quota_probes_per_minute',
    group: 'Quota',
    kind: integer(1, 600),
    fallback: 30,
    placeholder: '<count>',
    help: 'Quota queries in any minute.',
  }),
  setting({
    ...ALWAYS,
    key: 'weekly_to_five_hour_multiplier',
    group: 'Quota',
    kind: numberOrOff(0.1, 100),
    fallback: 6,
    placeholder: '<number|off>',
    help: 'Caps 5h quota by the percent of the week times this; off: only an exhausted week does.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'usage_source',
    group: 'History',
    kind: choice('auto', 'legacy', 'queue', 'off'),
    fallback: 'auto',
    placeholder: '<name>',
    help: 'Where usage rows come from; queue needs state_db.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'state_db',
    group: 'History',
    kind: pathOrOff,
    fallback: null,
    fallbackText: 'off',
    placeholder: '<path|off>',
    help: 'SQLite file of the usage history.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'history_write_seconds',
    group: 'History',
    kind: integer(5, 3_600),
    fallback: 60,
    placeholder: '<seconds>',
    help: 'Time between two stored snapshots.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'history_retention_days',
    group: 'History',
    kind: integer(1, 3_650),
    fallback: 90,
    placeholder: '<days>',
    help: 'How long quota history is kept.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'usage_retention_days',
    group: 'History',
    kind: integer(1, 3_650),
    fallback: 90,
    placeholder: '<days>',
    help: 'How long single usage rows are kept; sums stay.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'client_labels_file',
    group: 'History',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'JSON file that names clients by their API name.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'benchmark_summary',
    group: 'History',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'Summary file of an external benchmark; shown, never applied.',
  }),
  setting({
    ...ALWAYS,
    key: 'display_timezone',
    group: 'Display and alerts',
    kind: timeZone,
    fallback: 'UTC',
    fallbackText: 'zone of this machine',
    placeholder: '<zone>',
    help: 'Time zone of clock times in texts.',
  }),
  setting({
    ...ALWAYS,
    key: 'alert_five_hour_min_plus',
    group: 'Display and alerts',
    kind: numberOrOff(0, UNITS_MAX),
    fallback: 'off',
    placeholder: '<units|off>',
    help: 'Raise an action when less 5h quota is known to be left, in Plus units.',
  }),
  setting({
    ...ALWAYS,
    key: 'alert_weekly_min_plus',
    group: 'Display and alerts',
    kind: numberOrOff(0, UNITS_MAX),
    fallback: 'off',
    placeholder: '<units|off>',
    help: 'The same for weekly quota.',
  }),
  setting({
    ...ALWAYS,
    key: 'alert_routable_min',
    group: 'Display and alerts',
    kind: numberOrOff(0, UNITS_MAX),
    fallback: 'off',
    placeholder: '<count|off>',
    help: 'Raise an action when fewer accounts may be used.',
  }),
  setting({
    ...ALWAYS,
    key: 'log_level',
    group: 'Log',
    kind: choice('debug', 'info', 'warn', 'error'),
    fallback: 'info',
    placeholder: '<level>',
    help: 'Minimum log level on stderr: debug, info, warn or error.',
  }),
  setting({
    ...ALWAYS,
    key: 'log_format',
    group: 'Log',
    kind: choice('text', 'json'),
    fallback: 'text',
    placeholder: '<format>',
    help: 'text or json, one line each.',
  }),
] as const

/** Every key, in the order of help and documentation. A new key is one entry of the table above. */
export const settings: readonly Setting[] = rows

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

/** The resolved configuration, a property for each key. URLs have no slash at their end, paths are absolute, null means not set. */
export type Config = {
  readonly [Row in (typeof rows)[number] as CamelCase<Row['key']>]: ValueOf<Row>
} & { readonly managementKey: Redacted | null }

type ValueOf<Row> = Row extends Setting<string, infer Value> ? Value : never

/** The property of `Config` that holds a setting. */
export function propertyOf({ key }: Setting): keyof Config {
  return key.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) as keyof Config
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
