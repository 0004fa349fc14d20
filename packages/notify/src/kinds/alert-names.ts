/** The alert rule that `init` writes about the same problem, by the code of an action. */
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
}

const severities = { bad: 'critical', warn: 'warning', good: 'info' } as const

/** Name and severity of the alert about a notice: those of the rule that `init` writes, else the code and what its tone says. */
export function alertOf({ code, tone }: { readonly code: string; readonly tone: keyof typeof severities }) {
  const [alertname, severity] = rules[code] ?? [code, severities[tone]]
  return { alertname, severity }
}
