import { type ProxyObservation, readSources, type SourceReading } from '@svc/core'
import type { ProxySourceId } from '@svc/core/service'
import type { Sources, SourcesById } from './all-sources.ts'
import type { Management } from './management.ts'
import type { UpstreamSettings } from './settings.ts'

/** Assembles the current observation of the proxy. */
export function observe(
  management: Management,
  sources: Sources,
  {
    upstream: { upstreamUrl, gatewayHealthUrl, upstreamUiUrl, refreshSeconds },
    openSecretFiles,
  }: Pick<ProxyObservation, 'openSecretFiles'> & { readonly upstream: UpstreamSettings },
): ProxyObservation {
  const byId: SourcesById = sources
  const proxy = { address: addressOf(upstreamUrl) }
  const addresses: Partial<
    Record<ProxySourceId, Pick<SourceReading<unknown>, 'address' | 'pageUrl'>>
  > = {
    gateway: { address: addressOf(gatewayHealthUrl) },
    accounts: { ...proxy, pageUrl: upstreamUiUrl },
    usage_statistics: proxy,
    usage: proxy,
  }
  const { version, clockSkewSeconds } = management.client.facts()
  const queriedProviders = sources.direct_quota.queriedProviders()
  return {
    kind: 'live',
    accountRefreshSeconds: refreshSeconds,
    management: management.gate.access(),
    openSecretFiles,
    sources: readSources((id) => ({ ...byId[id].reading(), ...addresses[id] })),
    accountListIsRemembered: false,
    usageRivalSuspected: sources.usage.isRivalSuspected(),
    evidenceByAuthName: sources.direct_quota.evidence(),
    ...(queriedProviders === null ? {} : { queriedProviders }),
    upstreamVersion: version,
    clockSkewSeconds,
  }
}

/** An address without user name, password and query, fit to be shown. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}
