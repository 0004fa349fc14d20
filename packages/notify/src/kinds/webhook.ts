import { alertView } from './alert.ts'
import type { Kind } from './kind.ts'

/**
 * Any receiver of Alertmanager's webhooks, version 4 of the payload. Source:
 * https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
 */
export const webhook: Kind = {
  post({ message, receiver }, address) {
    const alerts = message.notices.map(alertView)
    const status = alerts.some((alert) => alert.status === 'firing') ? 'firing' : 'resolved'
    const commonLabels = inAll(alerts.map(({ labels }) => labels))
    const commonAnnotations = inAll(alerts.map(({ annotations }) => annotations))
    const group = {
      groupLabels: {},
      commonLabels,
      commonAnnotations,
      externalURL: '',
      groupKey: '{}:{}',
    }
    const truncatedAlerts = message.omittedCount
    return {
      url: address,
      json: { receiver, status, alerts, ...group, version: '4', truncatedAlerts },
    }
  },
}

function inAll(all: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const [first = {}] = all
  return Object.fromEntries(
    Object.entries(first).filter(([key, value]) => all.every((one) => one[key] === value)),
  )
}
