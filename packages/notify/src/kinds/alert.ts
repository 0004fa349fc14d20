import { instantToIso } from '@svc/core'
import type { DeliveredNotice, Notice } from '@svc/core/notify'
import { isMainWindowId, providerIds, textHash } from '@svc/core/service'

/** Name and severity of the alert rule that `init` writes for the same problem, by action code. */
const rules: Readonly<Record<string, readonly [name: string, severity: 'critical' | 'warning']>> = {
  gateway_down: ['QuotaGatewayDown', 'critical'],
  management_key_refused: ['QuotaKeyRefused', 'critical'],
  management_key_missing: ['QuotaKeyRefused', 'critical'],
  management_key_unreadable: ['QuotaKeyRefused', 'critical'],
  management_banned: ['QuotaKeyRefused', 'critical'],
  history_failing: ['QuotaHistoryFailing', 'critical'],
  usage_failing: ['QuotaUsageFailing', 'critical'],
  usage_rival: ['QuotaSecondReader', 'warning'],
  usage_missed: ['QuotaUsageGap', 'warning'],
  nothing_routable: ['QuotaNothingRoutable', 'critical'],
  capacity_low: ['QuotaCapacityLow', 'warning'],
  runway_short: ['QuotaRunsDryBeforeRecovery', 'warning'],
  snapshot_stale: ['QuotaSnapshotStale', 'warning'],
  snapshot_unavailable: ['QuotaSnapshotStale', 'warning'],
  auth_invalid: ['QuotaAuthInvalid', 'warning'],
  login_wave: ['QuotaLoginWave', 'critical'],
  subscription_ends: ['QuotaSubscriptionEnds', 'warning'],
}

const severities = { bad: 'critical', warn: 'warning', good: 'info' } as const

/** Alertmanager's notation for an alert that has not ended. */
const NO_END = '0001-01-01T00:00:00Z'

export function alertView(notice: DeliveredNotice) {
  const { id, title, summary, remedy = '', startsAt, endsAt, upstream, times } = notice
  // The id tells accounts with the same problem apart.
  const labels: Record<string, string> = { ...alertOf(notice), id }
  const [subject = ''] = id.split('@')
  for (const part of subject.split(':')) {
    if (providerIds.includes(part)) labels.provider = part
    if (isMainWindowId(part)) labels.window = part
  }
  if (upstream !== undefined) labels.upstream = upstream
  const description = remedy === '' ? summary : `${summary} ${remedy}`
  const often = times > 1 ? { times: String(times) } : {}
  return {
    status: endsAt === null ? 'firing' : 'resolved',
    labels,
    annotations: { summary: title, description, ...often },
    startsAt: instantToIso(startsAt),
    endsAt: endsAt === null ? NO_END : instantToIso(endsAt),
    generatorURL: '',
    fingerprint: fingerprintOf(labels),
  }
}

function fingerprintOf(labels: Readonly<Record<string, string>>): string {
  const text = JSON.stringify(Object.entries(labels).sort())
  return [text, `${text}.`].map((part) => textHash(part).toString(16).padStart(8, '0')).join('')
}

/** Alert name and severity of a notice: those of the rule that `init` writes, else the code and a severity that follows from the tone. */
export function alertOf({ code, tone }: Pick<Notice, 'code' | 'tone'>) {
  const [alertname, severity] = rules[code] ?? [code, severities[tone]]
  return { alertname, severity }
}
