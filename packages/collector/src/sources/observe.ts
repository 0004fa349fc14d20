import type { ProxyObservation } from '@svc/core'
import type { Sources } from './all-sources.ts'
import type { Management } from './management.ts'

/** What is known of the proxy now. */
export function observe(
  management: Management,
  sources: Sources,
  {
    accountRefreshSeconds,
    openSecretFiles,
  }: Pick<ProxyObservation, 'accountRefreshSeconds' | 'openSecretFiles'>,
): ProxyObservation {
  const { version, clockSkewSeconds } = management.client.facts()
  return {
    kind: 'live',
    accountRefreshSeconds,
    management: management.gate.access(),
    openSecretFiles,
    gateway: sources.gateway.reading(),
    accountList: sources.accountList.reading(),
    accountListIsRemembered: false,
    usageStatistics: sources.usageStatistics.reading(),
    directQuota: sources.quota.reading(),
    benchmark: sources.benchmark.reading(),
    clientLabels: sources.clientLabels.reading(),
    usageFeed: sources.usage.reading(),
    usageRivalSuspected: sources.usage.isRivalSuspected(),
    evidenceByAuthName: sources.quota.evidence(),
    upstreamVersion: version,
    clockSkewSeconds,
  }
}
