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
  someOf,
  storeOrOff,
  timeZone,
  trueOrFalse,
} from './setting-kinds.ts'

const UNITS_MAX = 1_000_000

function setting<const Key extends string, const Group extends SettingGroup, Value>(
  entry: Setting<Key, Group, Value>,
): Setting<Key, Group, Value> {
  return entry
}

/** Allows a kind to be null, for a setting that may be unset. */
function optional<Value>(kind: SettingKind<Value>): SettingKind<Value | null> {
  return kind
}

const FILE = {
  kind: optional(path),
  fallback: null,
  fallbackText: 'none',
  placeholder: '<path>',
} as const
const ALERT = {
  inDemo: true,
  group: 'alerts',
  kind: numberOrOff(0, UNITS_MAX),
  fallback: 'off',
} as const

const rows = [
  setting({
    inDemo: true,
    key: 'host',
    group: 'server',
    kind: listenHost,
    fallback: '127.0.0.1',
    placeholder: '<address>',
    help: 'Address to listen on.',
  }),
  setting({
    inDemo: true,
    key: 'port',
    group: 'server',
    kind: integer(1, 65_535),
    fallback: 4515,
    fallbackText: '4515, demo 4516',
    placeholder: '<port>',
    help: 'Port to listen on.',
  }),
  setting({
    inDemo: true,
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
    inDemo: true,
    key: 'manual_quota_refresh_auth',
    group: 'server',
    kind: choice('page-token', 'management-key', 'none'),
    fallback: 'page-token',
    placeholder: '<mode>',
    help: 'Who may start a refresh: page-token, management-key or none.',
  }),
  setting({
    key: 'upstream_url',
    group: 'upstream',
    kind: baseUrl,
    fallback: 'http://127.0.0.1:8317',
    placeholder: '<url>',
    help: 'Base URL of the proxy.',
  }),
  setting({
    key: 'gateway_health_url',
    group: 'upstream',
    kind: httpUrl,
    fallback: '',
    fallbackText: 'healthz of the proxy',
    placeholder: '<url>',
    help: 'Address to ask whether the gateway is alive.',
  }),
  setting({
    key: 'upstream_ui_url',
    group: 'upstream',
    kind: httpUrl,
    fallback: '',
    fallbackText: 'management.html of the proxy',
    placeholder: '<url>',
    help: "The proxy's own page as browsers reach it, linked where a login must be renewed.",
  }),
  setting({
    key: 'management_key_file',
    group: 'upstream',
    ...FILE,
    help: 'File that holds the management key of the proxy.',
  }),
  setting({
    key: 'refresh_seconds',
    group: 'upstream',
    kind: integer(5, 3_600),
    fallback: 15,
    placeholder: '<seconds>',
    help: 'Time between two readings of the account list.',
  }),
  setting({
    key: 'upstream_timeout_seconds',
    group: 'upstream',
    kind: integer(1, 300),
    fallback: 10,
    placeholder: '<seconds>',
    help: 'Time for one call to the proxy, headers and body.',
  }),
  setting({
    key: 'upstreams_file',
    group: 'fleet',
    ...FILE,
    help: 'TOML file of [[upstream]] tables, one for each of several proxies.',
  }),
  setting({
    key: 'auth_dir',
    group: 'quota',
    ...FILE,
    help: 'Directory of auth files, for quota_transport auth-files only.',
  }),
  setting({
    key: 'quota_transport',
    group: 'quota',
    kind: choice('auto', 'api-call', 'auth-files', 'off'),
    fallback: 'auto',
    placeholder: '<name>',
    help: 'How quota is queried: auto, api-call (tokens stay in the proxy), auth-files or off.',
  }),
  setting({
    key: 'quota_probe_concurrency',
    group: 'quota',
    kind: integer(1, 2),
    fallback: 2,
    placeholder: '<count>',
    help: 'Quota queries under way at once.',
  }),
  setting({
    key: 'quota_probes_per_minute',
    group: 'quota',
    kind: integer(1, 600),
    fallback: 30,
    placeholder: '<count>',
    help: 'Quota queries in any minute, those for plans included.',
  }),
  setting({
    key: 'quota_probe_providers',
    group: 'quota',
    kind: someOf('codex', 'claude', 'xai', 'kimi', 'antigravity'),
    fallback: ['codex', 'claude', 'xai', 'kimi'],
    placeholder: '<names>',
    help: 'Providers whose vendors are asked for quota. Google has closed accounts for such queries, so antigravity must be named.',
  }),
  setting({
    inDemo: true,
    key: 'weekly_to_five_hour_multiplier',
    group: 'capacity',
    kind: numberOrOff(0.1, 100),
    fallback: 6,
    placeholder: '<number|off>',
    help: 'Caps the 5h quota at weekly percent × this factor; off caps it only when the week is exhausted.',
  }),
  setting({
    key: 'usage_source',
    group: 'usage',
    kind: choice('auto', 'queue', 'subscribe', 'legacy', 'off'),
    fallback: 'auto',
    placeholder: '<name>',
    help: 'Where usage rows come from; queue and subscribe need state_db.',
  }),
  setting({
    key: 'state_db',
    group: 'history',
    kind: storeOrOff,
    fallback: null,
    fallbackText: 'off',
    placeholder: '<path|address|off>',
    help: 'Usage history: an SQLite file, or a database as in postgres://host/database.',
  }),
  setting({
    key: 'state_db_password_file',
    group: 'history',
    ...FILE,
    help: 'File that holds the password for state_db, where that is a database.',
  }),
  setting({
    key: 'state_db_replica',
    group: 'history',
    kind: addressOrOff,
    fallback: null,
    fallbackText: 'off',
    placeholder: '<address|off>',
    help: 'A standby of state_db that charts are read from.',
  }),
  setting({
    key: 'history_write_seconds',
    group: 'history',
    kind: integer(5, 3_600),
    fallback: 60,
    placeholder: '<seconds>',
    help: 'Time between two stored snapshots.',
  }),
  setting({
    key: 'history_retention_days',
    group: 'history',
    kind: integer(1, 3_650),
    fallback: 90,
    placeholder: '<days>',
    help: 'How long quota history is kept.',
  }),
  setting({
    key: 'usage_retention_days',
    group: 'history',
    kind: integer(1, 3_650),
    fallback: 90,
    placeholder: '<days>',
    help: 'How long single usage rows are kept; sums stay.',
  }),
  setting({
    key: 'metrics_series_max',
    group: 'history',
    kind: integer(0, 1_000),
    fallback: 100,
    placeholder: '<count>',
    help: 'Models, and as many clients, that metrics of usage name; 0 for no such metrics.',
  }),
  setting({
    key: 'price_file',
    group: 'history',
    ...FILE,
    help: 'JSON file of list prices, of LiteLLM or models.dev; init prices says how to fetch one.',
  }),
  setting({
    key: 'price_overrides',
    group: 'history',
    ...FILE,
    help: 'TOML file of own prices, multipliers and subscriptions.',
  }),
  setting({
    key: 'client_labels_file',
    group: 'usage',
    ...FILE,
    help: 'JSON file that names clients by their API name.',
  }),
  setting({
    key: 'benchmark_summary',
    group: 'benchmark',
    ...FILE,
    help: 'Summary file of an external benchmark; shown, never applied.',
  }),
  setting({
    inDemo: true,
    key: 'display_timezone',
    group: 'display',
    kind: timeZone,
    fallback: 'UTC',
    fallbackText: 'zone of this machine',
    placeholder: '<zone>',
    help: 'Time zone of clock times in texts.',
  }),
  setting({
    inDemo: true,
    key: 'display_language',
    group: 'display',
    kind: languageTag,
    fallback: 'en',
    placeholder: '<tag>',
    help: 'Language of the page and of texts in answers: en or zh-CN; any other is shown in English.',
  }),
  setting({
    inDemo: true,
    key: 'ics_names',
    group: 'display',
    kind: trueOrFalse,
    fallback: false,
    placeholder: '<true|false>',
    help: 'Name accounts in the calendar of resets by their titles, which may be e-mail addresses.',
  }),
  setting({
    ...ALERT,
    key: 'alert_five_hour_min_plus',
    placeholder: '<units|off>',
    help: 'Raise an action when less 5h quota is known to be left, in Plus units.',
  }),
  setting({
    ...ALERT,
    key: 'alert_weekly_min_plus',
    placeholder: '<units|off>',
    help: 'The same for weekly quota.',
  }),
  setting({
    ...ALERT,
    key: 'alert_routable_min',
    placeholder: '<count|off>',
    help: 'Raise an action when fewer accounts may be used.',
  }),
  setting({
    inDemo: true,
    key: 'log_level',
    group: 'log',
    kind: choice('debug', 'info', 'warn', 'error'),
    fallback: 'info',
    placeholder: '<level>',
    help: 'Minimum log level on stderr: debug, info, warn or error.',
  }),
  setting({
    inDemo: true,
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
export type SettingKey = Row['key']

export type SettingsOf<Group extends SettingGroup> = {
  readonly [One in Extract<Row, { readonly group: Group }> as CamelCase<One['key']>]: ValueOf<One>
}

type ValueOf<One> = One extends Setting<string, SettingGroup, infer Value> ? Value : never
