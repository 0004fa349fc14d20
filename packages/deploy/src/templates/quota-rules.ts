import { type HealthAction, LOW_SHARE } from '@svc/core'
import { UNKNOWN_SHARE_MAX } from '@svc/core/pool'
import { ASSUMED_PROVIDER, BAN_SECONDS, REFUSALS_TO_BAN } from '@svc/core/service'
import { actionConditions } from '@svc/views/messages'

const PREFIX = 'svc_quota_monitor'
const LOW = `${LOW_SHARE * 100} %`

interface Alert {
  readonly name: string
  readonly expr: string
  /** Minutes for which the expression must hold before the alert fires. */
  readonly holds: number
  readonly severity: 'critical' | 'warning'
  readonly summary: string
  readonly description: string
  /** Text for the manual, needed if the summary contains values. */
  readonly meaning?: string
  /** Text for the manual, needed if the description contains values. */
  readonly remedy?: string
  /** Test series with one value per minute, for which the alert must fire; in promtool's notation. */
  readonly fires: readonly (readonly [name: string, values: string])[]
  /** Test series with one value per minute, for which the alert must not fire. */
  readonly silent: readonly (readonly [name: string, values: string])[]
  /** Time at which promtool evaluates the alert, as in `30m`; `20m` if absent. */
  readonly at?: string
}

const DISK_FREE = `${PREFIX}_history_disk_free_bytes`
const DISK_SECONDS = 2 * 86_400
const WINDOW = { window: '5h' } as const
const CLAUDE = { provider: 'claude' } as const
const KIMI = { provider: 'kimi' } as const
const OTHERS = `{provider!="${ASSUMED_PROVIDER}"}`

/** Ratios and times used repeatedly by dashboards and alerts. */
const records: readonly (readonly [name: string, expr: string])[] = [
  [
    'capacity_left:ratio',
    // Of other providers too little is known of the whole if more of it was never read, as in health.
    `${ofCodex(`${PREFIX}_capacity_usable_plus_units / (${PREFIX}_capacity_tracked_plus_units > 0)`)} or (${PREFIX}_provider_capacity_known_units${OTHERS} / (${PREFIX}_provider_capacity_tracked_units > 0) unless ${PREFIX}_provider_capacity_unknown_units > ${UNKNOWN_SHARE_MAX} * ${PREFIX}_provider_capacity_tracked_units)`,
  ],
  ['capacity_runs_dry:seconds', `${PREFIX}_capacity_runs_dry_timestamp_seconds - time()`],
  ['capacity_next_recovery:seconds', `${PREFIX}_capacity_next_recovery_timestamp_seconds - time()`],
]

/**
 * Alerts that wake an operator or appear in the daily summary. A new one is one entry here, with a case in which it fires and one in which it does
 * not.
 */
export const alerts: readonly Alert[] = [
  {
    name: 'QuotaMonitorDown',
    expr: 'up{job="svc-quota-monitor"} == 0',
    holds: 5,
    severity: 'critical',
    summary: 'The quota monitor does not answer.',
    description: 'Nothing watches the pool. Look at its log, then run svc-quota-monitor doctor.',
    fires: [['up{job="svc-quota-monitor",instance="m"}', '0x20']],
    silent: [['up{job="svc-quota-monitor",instance="m"}', '1x20']],
  },
  {
    name: 'QuotaGatewayDown',
    expr: `${PREFIX}_gateway_up == 0`,
    holds: 2,
    severity: 'critical',
    ...alertWords('gateway_down'),
    fires: [metric('gateway_up', '0x20')],
    silent: [metric('gateway_up', '1x20')],
  },
  {
    name: 'QuotaKeyRefused',
    expr: anyAction(
      'management_key_refused',
      'management_key_missing',
      'management_key_unreadable',
      'management_banned',
    ),
    holds: 1,
    severity: 'critical',
    ...alertWords(
      'management_key_refused',
      `${REFUSALS_TO_BAN} refusals ban the monitor for ${BAN_SECONDS / 60} minutes.`,
    ),
    fires: [action('management_key_refused', '1x20')],
    silent: [action('management_key_refused', '0x20'), action('usage_rival', '1x20')],
  },
  {
    name: 'QuotaHistoryFailing',
    expr: anyAction('history_failing'),
    holds: 5,
    severity: 'critical',
    ...alertWords('history_failing'),
    fires: [action('history_failing', '1x20')],
    silent: [action('history_failing', '0x20')],
  },
  {
    name: 'QuotaHistoryDisk',
    // What else is on the disk shows in its free space alone.
    expr: `${anyAction('history_disk_filling')} or predict_linear(${DISK_FREE}[6h], ${DISK_SECONDS}) < 0 and ${DISK_FREE} offset 6h`,
    holds: 30,
    severity: 'warning',
    ...alertWords('history_disk_filling'),
    fires: [metric('history_disk_free_bytes', '9000000000-9000000x600')],
    silent: [
      metric('history_disk_free_bytes', '9000000000-1000000x600'),
      action('history_disk_filling', '0x600'),
    ],
    at: '480m',
  },
  {
    name: 'QuotaUsageFailing',
    expr: anyAction('usage_failing'),
    holds: 1,
    severity: 'critical',
    ...alertWords('usage_failing'),
    fires: [action('usage_failing', '1x20')],
    silent: [action('usage_failing', '0x20'), action('usage_missed', '1x20')],
  },
  {
    name: 'NoLeader',
    expr: `max by(upstream) (${PREFIX}_leader) == 0`,
    holds: 1,
    severity: 'critical',
    summary: 'No monitor acts for the proxy {{ $labels.upstream }}.',
    description:
      'Nobody takes its usage or asks for quota; it keeps usage for an hour. Check that the database answers the monitors.',
    meaning: 'Of several monitors of one database, none acts for a proxy.',
    remedy: 'Check that the database answers the monitors.',
    fires: [
      metric('leader', '0x20', { upstream: 'tokyo' }),
      metric('leader', '0x20', { upstream: 'tokyo', instance: 'n' }),
      metric('leader', '1x20', { upstream: 'berlin' }),
    ],
    silent: [
      metric('leader', '1x10 0x10', { upstream: 'tokyo' }),
      metric('leader', '0x10 1x10', { upstream: 'tokyo', instance: 'n' }),
    ],
  },
  {
    name: 'QuotaSecondReader',
    expr: anyAction('usage_rival'),
    holds: 10,
    severity: 'warning',
    ...alertWords('usage_rival'),
    fires: [action('usage_rival', '1x40')],
    silent: [action('usage_rival', '0x40')],
  },
  {
    name: 'QuotaNothingRoutable',
    // A pool without any account has no provider.
    expr: `(${PREFIX}_provider_routable_accounts == 0 or ${ofCodex(`${PREFIX}_routable_accounts == 0 unless on(instance) ${PREFIX}_provider_accounts`)}) and on(instance) ${PREFIX}_snapshot_available == 1`,
    holds: 5,
    severity: 'critical',
    ...alertWords('nothing_routable', 'The dashboard says what blocks each account.'),
    summary: 'Nothing routable of {{ $labels.provider }}.',
    meaning: 'No account of a provider may be used, or there is no account at all.',
    fires: [
      metric('routable_accounts', '0x20'),
      metric('provider_accounts', '2x20', CLAUDE),
      metric('provider_routable_accounts', '0x20', CLAUDE),
      metric('provider_accounts', '2x20', KIMI),
      metric('provider_routable_accounts', '1x20', KIMI),
      metric('snapshot_available', '1x20'),
    ],
    silent: [metric('routable_accounts', '0x20'), metric('snapshot_available', '0x20')],
  },
  {
    name: 'QuotaCapacityLow',
    expr: `${PREFIX}:capacity_left:ratio < ${LOW_SHARE}`,
    holds: 10,
    severity: 'warning',
    summary: `Less than ${LOW} of the {{ $labels.window }} quota of {{ $labels.provider }} is left.`,
    description: '{{ $value | humanizePercentage }} of what its accounts have when they are full.',
    meaning: `Less than ${LOW} of a window's quota is left at a provider; of Codex on accounts that may be used.`,
    remedy: 'Slow down, bring blocked accounts back, or add accounts.',
    fires: [
      metric('capacity_usable_plus_units', '2x40', WINDOW),
      metric('capacity_tracked_plus_units', '41x40', WINDOW),
    ],
    silent: [
      metric('capacity_usable_plus_units', '5x40', WINDOW),
      metric('capacity_tracked_plus_units', '41x40', WINDOW),
    ],
  },
  {
    name: 'QuotaRunsDryBeforeRecovery',
    expr: ofCodex(
      `${PREFIX}_capacity_runs_dry_timestamp_seconds < ${PREFIX}_capacity_next_recovery_timestamp_seconds`,
    ),
    holds: 10,
    severity: 'warning',
    summary: 'The {{ $labels.window }} quota runs dry before any comes back.',
    description: 'At the expected pace. Slow down, or add accounts.',
    meaning: 'At the expected pace the 5h or the weekly quota runs dry before any comes back.',
    remedy: 'Slow down, or add accounts.',
    fires: [
      metric('capacity_runs_dry_timestamp_seconds', '7200x40', WINDOW),
      metric('capacity_next_recovery_timestamp_seconds', '9000x40', WINDOW),
    ],
    silent: [
      metric('capacity_runs_dry_timestamp_seconds', '9000x40', WINDOW),
      metric('capacity_next_recovery_timestamp_seconds', '7200x40', WINDOW),
    ],
  },
  {
    name: 'QuotaSnapshotStale',
    expr: `${PREFIX}_snapshot_age_seconds > 300 or ${PREFIX}_snapshot_available == 0`,
    holds: 5,
    severity: 'warning',
    summary: 'What the monitor shows is old.',
    description: 'The proxy does not answer it. Run svc-quota-monitor doctor.',
    fires: [metric('snapshot_age_seconds', '0+60x40')],
    silent: [metric('snapshot_age_seconds', '15x40'), metric('snapshot_available', '1x40')],
    at: '30m',
  },
  {
    name: 'QuotaAuthInvalid',
    expr: `${PREFIX}_provider_blocked_accounts{reason="auth_invalid"} > 0`,
    holds: 15,
    severity: 'warning',
    ...alertWords('auth_invalid', 'Accounts of {{ $labels.provider }}: {{ $value }}.'),
    remedy: actionConditions.auth_invalid.remedy,
    fires: [metric('provider_blocked_accounts', '2x60', { ...CLAUDE, reason: 'auth_invalid' })],
    silent: [
      metric('provider_blocked_accounts', '0x60', { ...CLAUDE, reason: 'auth_invalid' }),
      metric('provider_blocked_accounts', '9x60', { ...CLAUDE, reason: 'cooldown' }),
    ],
    at: '30m',
  },
  {
    name: 'QuotaLoginWave',
    expr: anyAction('login_wave'),
    holds: 1,
    severity: 'critical',
    ...alertWords('login_wave', 'The Health page names the accounts and the evidence.'),
    fires: [action('login_wave', '1x20')],
    silent: [action('login_wave', '0x20'), action('auth_invalid', '4x20')],
  },
  {
    name: 'QuotaSubscriptionEnds',
    expr: `${PREFIX}_subscription_accounts{state="last_day"} > 0`,
    holds: 15,
    severity: 'warning',
    ...alertWords('subscription_ends', 'Accounts within a day, as their logins say: {{ $value }}.'),
    meaning: 'The subscription of an account ends within a day, as its last login says.',
    remedy: actionConditions.subscription_ends.remedy,
    fires: [metric('subscription_accounts', '1x60', { state: 'last_day' })],
    silent: [
      metric('subscription_accounts', '0x60', { state: 'last_day' }),
      metric('subscription_accounts', '3x60', { state: 'ends_soon' }),
    ],
    at: '30m',
  },
  {
    name: 'QuotaUsageGap',
    expr: `increase(${PREFIX}_usage_gap_seconds_total[1h]) > 0`,
    holds: 0,
    severity: 'warning',
    summary: 'Usage was missed.',
    description:
      '{{ $value | humanizeDuration }} in the last hour are not in the history. See its sources on the dashboard.',
    remedy: 'See the sources of the history on the Health page.',
    fires: [metric('usage_gap_seconds_total', '0x10 60x60')],
    silent: [metric('usage_gap_seconds_total', '60x60')],
    at: '30m',
  },
  {
    name: 'QuotaNeedsYou',
    expr: `${PREFIX}_health_state{state="bad"} == 1 and on(instance) ${PREFIX}_health_action_count > 0`,
    holds: 10,
    severity: 'warning',
    summary: 'Something is bad and needs you.',
    description:
      'The Health page says what to do; svc_quota_monitor_health_actions says by code what it is.',
    fires: [
      metric('health_state', '1x40', { state: 'bad' }),
      metric('health_action_count', '2x40'),
    ],
    silent: [
      metric('health_state', '0x40', { state: 'bad' }),
      metric('health_state', '1x40', { state: 'warn' }),
      metric('health_action_count', '2x40'),
    ],
  },
]

/** Summary and description of an alert, taken from the action about the same problem. `more` is added to the description. */
function alertWords(code: HealthAction['code'], more = ''): Pick<Alert, 'summary' | 'description'> {
  const { title, remedy } = actionConditions[code]
  return { summary: `${title}.`, description: more === '' ? remedy : `${remedy} ${more}` }
}

/** Adds Codex as the provider label to an expression, so that its alerts stand beside those of other providers. */
function ofCodex(expr: string): string {
  return `label_replace(${expr}, "provider", "${ASSUMED_PROVIDER}", "", "")`
}

/** Expression for an open action with one of these codes. */
function anyAction(...codes: readonly HealthAction['code'][]): string {
  return codes.length === 1
    ? `${PREFIX}_health_actions{code="${codes[0]}"} > 0`
    : `sum without(code) (${PREFIX}_health_actions{code=~"${codes.join('|')}"}) > 0`
}

function action(code: HealthAction['code'], values: string): readonly [string, string] {
  return metric('health_actions', values, { code })
}

function metric(
  name: string,
  values: string,
  labels: Readonly<Record<string, string>> = {},
): readonly [string, string] {
  const all = { instance: 'm', ...labels }
  const text = Object.entries(all).map(([label, value]) => `${label}="${value}"`)
  return [`${PREFIX}_${name}{${text.join(',')}}`, values]
}

// JSON strings are YAML strings.
const quoted = (text: string): string => JSON.stringify(text)

export function quotaRules(): string {
  return `# quota-rules.yml: check with  promtool check rules quota-rules.yml

groups:
  - name: quota-records
    rules:
${records.map(([name, expr]) => `      - record: ${PREFIX}:${name}\n        expr: ${quoted(expr)}\n`).join('')}
  - name: quota-alerts
    rules:
${alerts.map(alertRule).join('\n')}`
}

/** Seconds for which an alert continues after its expression stops holding: half of `for`, at most the longest restart. */
const bridgeSeconds = ({ holds }: Pick<Alert, 'holds'>) => Math.min(120, holds * 30)
/** Shortest `for` in minutes of an alert that is bridged; a shorter one loses nothing by a restart. */
const BRIDGED_MINUTES_MIN = 2

/** Extends an expression so that a restart of the monitor, during which series are missing or briefly good, does not restart `for`. */
function bridged(alert: Alert): string {
  const { expr, holds } = alert
  return holds < BRIDGED_MINUTES_MIN
    ? expr
    : `last_over_time((${expr})[${bridgeSeconds(alert)}s:15s])`
}

function alertRule(alert: Alert): string {
  const { name, holds, severity, summary, description } = alert
  return `      - alert: ${name}
        expr: ${quoted(bridged(alert))}
        for: ${holds}m
        labels:
          severity: ${severity}
        annotations:
          summary: ${quoted(summary)}
          description: ${quoted(description)}
`
}

/** Promtool tests of every alert, with a case in which it fires and one in which it must not. */
export function quotaRulesTest(): string {
  return `# quota-rules.test.yml: run with  promtool test rules quota-rules.test.yml

rule_files:
  - quota-rules.yml
evaluation_interval: 1m

tests:
${alerts.flatMap((alert) => [testCase(alert, alert.fires, true), testCase(alert, alert.silent, false), ...restartCases(alert)]).join('')}`
}

/** Tests that a pending alert still fires after a restart of the monitor, but not if the problem ends with the restart. */
function restartCases(alert: Alert): readonly string[] {
  const { holds, fires } = alert
  const constant = fires.flatMap(([name, values]) => {
    const [, value] = /^(\d+)x\d+$/.exec(values) ?? []
    return value === undefined ? [] : [{ name, value }]
  })
  if (holds < BRIDGED_MINUTES_MIN || constant.length < fires.length) return []
  const at = `${holds + 1}m`
  const last = Math.floor(holds - bridgeSeconds(alert) / 60 - 1)
  const series = (end: (value: string) => string) =>
    constant.map(({ name, value }) => [name, `${value}x${last} ${end(value)}`] as const)
  const goesOn = series((value) => `stale ${value}x${2 * holds}`)
  return [
    testCase({ ...alert, at }, goesOn, true, 'over a restart'),
    testCase(
      { ...alert, at },
      series(() => 'stale'),
      false,
      'where the trouble ends',
    ),
  ]
}

function testCase(alert: Alert, series: Alert['silent'], fires: boolean, when = ''): string {
  const input = series
    .map(([name, values]) => `      - series: ${quoted(name)}\n        values: ${quoted(values)}\n`)
    .join('')
  // Tests whether the alert fires, ignoring its texts.
  const query = `count(ALERTS{alertname="${alert.name}",alertstate="firing",severity="${alert.severity}"}) or vector(0)`
  return `  - name: ${quoted([alert.name, fires ? 'fires' : 'is silent', when].filter(Boolean).join(' '))}
    interval: 1m
    input_series:
${input}    promql_expr_test:
      - expr: ${quoted(query)}
        eval_time: ${alert.at ?? '20m'}
        exp_samples:
          - value: ${fires ? 1 : 0}
`
}
