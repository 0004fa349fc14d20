import type { Setting, SettingGroup } from './setting.ts'
import {
  addressOrOff,
  allowedHosts,
  baseUrl,
  choice,
  httpUrl,
  integer,
  languageTag,
  listenHost,
  numberOrOff,
  path,
  type SettingKind,
  storeOrOff,
  timeZone,
} from './setting-kinds.ts'

const LIVE_ONLY = { ignoredInDemo: true } as const
const ALWAYS = { ignoredInDemo: false } as const
const UNITS_MAX = 1_000_000

function setting<const Key extends string, const Group extends SettingGroup, Value>(
  entry: Setting<Key, Group, Value>,
): Setting<Key, Group, Value> {
  return entry
}

/** Turns a kind into one whose setting may be unset. */
function optional<Value>(kind: SettingKind<Value>): SettingKind<Value | null> {
  return kind
}

const rows = [
  setting({
    ...ALWAYS,
    key: 'host',
    group: 'server',
    kind: listenHost,
    fallback: '127.0.0.1',
    placeholder: '<address>',
    help: 'Address to listen on.',
  }),
  setting({
    ...ALWAYS,
    key: 'port',
    group: 'server',
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
    group: 'server',
    kind: allowedHosts,
    fallback: [],
    fallbackText: 'none',
    placeholder: '<host[:port]>',
    help: 'Browser-facing names of this service; repeat the flag or separate by commas.',
  }),
  setting({
    ...ALWAYS,
    key: 'manual_quota_refresh_auth',
    group: 'server',
    kind: choice('page-token', 'management-key', 'none'),
    fallback: 'page-token',
    placeholder: '<mode>',
    help: 'Who may start a refresh: page-token, management-key or none.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'upstream_url',
    group: 'upstream',
    kind: baseUrl,
    fallback: 'http://127.0.0.1:8317',
    placeholder: '<url>',
    help: 'Base URL of the proxy.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'gateway_health_url',
    group: 'upstream',
    kind: httpUrl,
    fallback: '',
    fallbackText: 'healthz of the proxy',
    placeholder: '<url>',
    help: 'Address to ask whether the gateway is alive.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'management_key_file',
    group: 'upstream',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'File that holds the management key of the proxy.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'refresh_seconds',
    group: 'upstream',
    kind: integer(5, 3_600),
    fallback: 15,
    placeholder: '<seconds>',
    help: 'Time between two readings of the account list.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'upstream_timeout_seconds',
    group: 'upstream',
    kind: integer(1, 300),
    fallback: 10,
    placeholder: '<seconds>',
    help: 'Time for one call to the proxy, headers and body.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'upstreams_file',
    group: 'fleet',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'TOML file of [[upstream]] tables, one for each of several proxies.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'auth_dir',
    group: 'quota',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'Directory of auth files, for quota_transport auth-files only.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'quota_transport',
    group: 'quota',
    kind: choice('auto', 'api-call', 'auth-files', 'off'),
    fallback: 'auto',
    placeholder: '<name>',
    help: 'How quota is queried: auto, api-call (tokens stay in the proxy), auth-files or off.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'quota_probe_concurrency',
    group: 'quota',
    kind: integer(1, 2),
    fallback: 2,
    placeholder: '<count>',
    help: 'Quota queries under way at once.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'quota_probes_per_minute',
    group: 'quota',
    kind: integer(1, 600),
    fallback: 30,
    placeholder: '<count>',
    help: 'Quota queries in any minute.',
  }),
  setting({
    ...ALWAYS,
    key: 'weekly_to_five_hour_multiplier',
    group: 'capacity',
    kind: numberOrOff(0.1, 100),
    fallback: 6,
    placeholder: '<number|off>',
    help: 'Caps the 5h quota at weekly percent × this factor; off caps it only when the week is exhausted.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'usage_source',
    group: 'usage',
    kind: choice('auto', 'legacy', 'queue', 'off'),
    fallback: 'auto',
    placeholder: '<name>',
    help: 'Where usage rows come from; queue needs state_db.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'state_db',
    group: 'history',
    kind: storeOrOff,
    fallback: null,
    fallbackText: 'off',
    placeholder: '<path|address|off>',
    help: 'Usage history: an SQLite file, or a database as in postgres://host/database.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'state_db_password_file',
    group: 'history',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'File that holds the password for state_db, where that is a database.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'state_db_replica',
    group: 'history',
    kind: addressOrOff,
    fallback: null,
    fallbackText: 'off',
    placeholder: '<address|off>',
    help: 'A standby of state_db that charts are read from.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'history_write_seconds',
    group: 'history',
    kind: integer(5, 3_600),
    fallback: 60,
    placeholder: '<seconds>',
    help: 'Time between two stored snapshots.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'history_retention_days',
    group: 'history',
    kind: integer(1, 3_650),
    fallback: 90,
    placeholder: '<days>',
    help: 'How long quota history is kept.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'usage_retention_days',
    group: 'history',
    kind: integer(1, 3_650),
    fallback: 90,
    placeholder: '<days>',
    help: 'How long single usage rows are kept; sums stay.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'client_labels_file',
    group: 'usage',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'JSON file that names clients by their API name.',
  }),
  setting({
    ...LIVE_ONLY,
    key: 'benchmark_summary',
    group: 'benchmark',
    kind: optional(path),
    fallback: null,
    fallbackText: 'none',
    placeholder: '<path>',
    help: 'Summary file of an external benchmark; shown, never applied.',
  }),
  setting({
    ...ALWAYS,
    key: 'display_timezone',
    group: 'display',
    kind: timeZone,
    fallback: 'UTC',
    fallbackText: 'zone of this machine',
    placeholder: '<zone>',
    help: 'Time zone of clock times in texts.',
  }),
  setting({
    ...ALWAYS,
    key: 'display_language',
    group: 'display',
    kind: languageTag,
    fallback: 'en',
    placeholder: '<tag>',
    help: 'Language of the page and of texts in answers: en or zh-CN; any other is shown in English.',
  }),
  setting({
    ...ALWAYS,
    key: 'alert_five_hour_min_plus',
    group: 'alerts',
    kind: numberOrOff(0, UNITS_MAX),
    fallback: 'off',
    placeholder: '<units|off>',
    help: 'Raise an action when less 5h quota is known to be left, in Plus units.',
  }),
  setting({
    ...ALWAYS,
    key: 'alert_weekly_min_plus',
    group: 'alerts',
    kind: numberOrOff(0, UNITS_MAX),
    fallback: 'off',
    placeholder: '<units|off>',
    help: 'The same for weekly quota.',
  }),
  setting({
    ...ALWAYS,
    key: 'alert_routable_min',
    group: 'alerts',
    kind: numberOrOff(0, UNITS_MAX),
    fallback: 'off',
    placeholder: '<count|off>',
    help: 'Raise an action when fewer accounts may be used.',
  }),
  setting({
    ...ALWAYS,
    key: 'log_level',
    group: 'log',
    kind: choice('debug', 'info', 'warn', 'error'),
    fallback: 'info',
    placeholder: '<level>',
    help: 'Minimum log level on stderr: debug, info, warn or error.',
  }),
  setting({
    ...ALWAYS,
    key: 'log_format',
    group: 'log',
    kind: choice('text', 'json'),
    fallback: 'text',
    placeholder: '<format>',
    help: 'text or json, one line each.',
  }),
] as const

/** Every key, in the order of help and documentation. A new key is one entry of the table above. */
export const settings: readonly Setting<SettingKey>[] = rows

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name

type Row = (typeof rows)[number]
/** The TOML key of a setting. */
export type SettingKey = Row['key']

/** The part of the configuration that one group forms. */
export type SettingsOf<Group extends SettingGroup> = {
  readonly [One in Extract<Row, { readonly group: Group }> as CamelCase<One['key']>]: ValueOf<One>
}

type ValueOf<One> = One extends Setting<string, SettingGroup, infer Value> ? Value : never
