import { type ProxyObservation, readSources } from '@svc/core'
import type { Sources, SourcesById } from './all-sources.ts'
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
  const byId: SourcesById = sources
  const { version, clockSkewSeconds } = management.client.facts()
  return {
    kind: 'live',
    accountRefreshSeconds,
    management: management.gate.access(),
    openSecretFiles,
    sources: readSources((id) => byId[id].reading()),
    accountListIsRemembered: false,
    usageRivalSuspected: sources.usage.isRivalSuspected(),
    evidenceByAuthName: sources.direct_quota.evidence(),
    upstreamVersion: version,
    clockSkewSeconds,
  }
}
