import { instantToIso } from '@svc/core'
import type { ToldNotice } from '@svc/core/notify'
import { isMainWindowId, textHash } from '@svc/core/service'
import { alertOf } from './alert-names.ts'
import type { Kind } from './kind.ts'

/** How Alertmanager writes that an alert has not ended. */
const NO_END = '0001-01-01T00:00:00Z'

/** Any receiver of Alertmanager's webhooks, version 4 of the payload. Source: prometheus.io/docs/alerting/latest/configuration, webhook_config. */
export const webhook: Kind = {
  post({ message, receiver }, address) {
    const alerts = message.notices.map(alertView)
    const status = alerts.some((alert) => alert.status === 'firing') ? 'firing' : 'resolved'
    const commonLabels = inAll(alerts.map(({ labels }) => labels))
    const commonAnnotations = inAll(alerts.map(({ annotations }) => annotations))
    const group = { groupLabels: {}, commonLabels, commonAnnotations, externalURL: '', groupKey: '{}:{}' }
    const truncatedAlerts = message.omittedCount
    return { url: address, json: { receiver, status, alerts, ...group, version: '4', truncatedAlerts } }
  },
}

function alertView(notice: ToldNotice) {
  const { id, title, summary, remedy = '', startsAt, endsAt, upstream } = notice
  const window = id.split(/[:@]/)[1] ?? ''
  // The id tells accounts with the same problem apart.
  const labels: Record<string, string> = { ...alertOf(notice), id }
  if (isMainWindowId(window)) labels.window = window
  if (upstream !== undefined) labels.upstream = upstream
  return {
    status: endsAt === null ? 'firing' : 'resolved',
    labels,
    annotations: { summary: title, description: remedy === '' ? summary : `${summary} ${remedy}` },
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

/** What all of these say alike. */
function inAll(all: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const [first = {}] = all
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => all.every((one) => one[key] === value)),
  )
}
