import { type NotifyKind, type NotifyTarget, notifyKinds } from '@svc/core/notify'
import type { Installation } from '../installation/installation.ts'

export function prometheusConfig({ address }: Installation): string {
  return `# prometheus.yml: scrapes the monitor, evaluates the rules beside this file, and sends alerts to Alertmanager.

global:
  scrape_interval: 15s
  evaluation_interval: 15s

rule_files:
  - quota-rules.yml

alerting:
  alertmanagers:
    - static_configs:
        - targets: ["127.0.0.1:9093"]

scrape_configs:
  - job_name: svc-quota-monitor
    static_configs:
      - targets: ["${address}"]
`
}

type Target = Pick<NotifyTarget, 'name' | 'kind' | 'urlFile' | 'on'>

/** An Alertmanager receiver. */
interface Receiver {
  /** Key under which Alertmanager lists receivers of this kind. */
  readonly list: string
  readonly fields: (target: Target) => readonly string[]
  /** Step left to the operator. */
  readonly note?: string
}

/** Receiver of a kind that Alertmanager lacks: a webhook to a local bridge. */
const BRIDGE: Receiver = {
  list: 'webhook_configs',
  fields: ({ name }) => [`url: http://127.0.0.1:9096/${name}`],
  note: 'CHANGE: Alertmanager needs a bridge for this kind, a program that knows the address; here is where it listens.',
}

const receivers: Readonly<Record<NotifyKind, Receiver>> = {
  webhook: {
    list: 'webhook_configs',
    fields: ({ urlFile }) => [`url_file: ${JSON.stringify(urlFile)}`],
  },
  ntfy: BRIDGE,
  telegram: {
    list: 'telegram_configs',
    fields: ({ urlFile }) => [
      `bot_token_file: ${JSON.stringify(`${urlFile}-token`)}`,
      'chat_id: 1',
    ],
    note: 'CHANGE: chat_id; the file holds the token of the bot alone.',
  },
  discord: {
    list: 'discord_configs',
    fields: ({ urlFile }) => [`webhook_url_file: ${JSON.stringify(urlFile)}`],
  },
  slack: {
    list: 'slack_configs',
    fields: ({ urlFile }) => [`api_url_file: ${JSON.stringify(urlFile)}`],
  },
  feishu: BRIDGE,
  bark: BRIDGE,
}

/**
 * Alertmanager configuration that routes alerts by severity to the targets of the `[[notify]]` tables; if there are none, the operator fills in the
 * addresses.
 */
export function alertmanager({ config }: Installation): string {
  const { targets } = config.notify
  const mild = targets.filter(({ minTone }) => minTone === 'warn')
  const hasTargets = targets.length > 0
  return `# alertmanager.yml: what must be acted on now wakes somebody, the rest is sent once a day.
${hasTargets ? FROM_TABLES : FILL_IN}
route:
  receiver: tell
  group_by: [alertname, provider, window]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 24h
  routes:
    - matchers: ['severity="critical"']
      receiver: wake
      repeat_interval: 1h

# One alert is enough: while no account of a provider can be used, low quota adds nothing.
inhibit_rules:
  - source_matchers: ['alertname="QuotaNothingRoutable"']
    target_matchers: ['alertname=~"QuotaCapacityLow|QuotaRunsDryBeforeRecovery"']
    equal: [instance, provider]
  # The action that is bad has an alert of its own.
  - source_matchers: ['alertname=~"QuotaGatewayDown|QuotaKeyRefused|QuotaHistoryFailing|QuotaNothingRoutable|QuotaAuthInvalid"']
    target_matchers: ['alertname="QuotaNeedsYou"']
    equal: [instance]

receivers:
  - name: wake
${hasTargets ? listsOf(targets) : ownAddress('wake')}  - name: tell
${hasTargets ? (mild.length > 0 ? listsOf(mild) : NO_MILD) : ownAddress('tell') + examples()}`
}

const FILL_IN = `# Set the two addresses at the end, or put e-mail or chat receivers there, before you use it.
`
const FROM_TABLES = `# Its receivers are those of your [[notify]] tables. Remove the tables once Alertmanager tells them, or each is told twice.
# It needs Alertmanager 0.26, for Discord 0.27, whose group may read the files of the addresses (chgrp, chmod 640).
# Hours in which it is quiet are mute_time_intervals of a route; none are set here.
`
const NO_MILD = `    # No table has min_tone = "warn", so nobody is told of warnings.
`

function ownAddress(name: string): string {
  return `    webhook_configs:
      - url: http://127.0.0.1:9095/${name}
        send_resolved: true
`
}

/** Targets as members of an Alertmanager receiver, with one list per kind. */
function listsOf(targets: readonly Target[]): string {
  const lists = [...new Set(targets.map(({ kind }) => receivers[kind].list))]
  return lists
    .map((list) => {
      const own = targets.filter(({ kind }) => receivers[kind].list === list)
      return `    ${list}:\n${own.map(itemOf).join('')}`
    })
    .join('')
}

function itemOf(target: Target): string {
  const { fields, note } = receivers[target.kind]
  const lines = [...fields(target), `send_resolved: ${target.on.includes('recovered')}`]
  return `      # ${target.name}${note === undefined ? '' : `. ${note}`}\n      - ${lines.join('\n        ')}\n`
}

/** One commented-out example target of each kind. */
function examples(): string {
  const targets = notifyKinds.map((kind): Target => {
    const urlFile = `/etc/alertmanager/${kind}`
    return { name: kind, kind, urlFile, on: ['recovered'] }
  })
  return `\n# Others, each with its address in a file: without the first # they stand below a name.\n${listsOf(targets).replaceAll(/^/gm, '#').replace(/#$/, '')}`
}
