import { type ProxyObservation, readSources, type SourceReading } from '@svc/core'
import { DEFAULT_UPSTREAM, type ProxySourceId, type SourceValue } from '@svc/core/service'
import { createMissingRequestsWatch } from '../usage/missing-requests.ts'
import { createUsageSuccesses } from '../usage/usage-successes.ts'
import { type AccountListSource, createAccountListSource } from './account-list.ts'
import { createBenchmarkSource } from './benchmark.ts'
import { createClientLabelsSource } from './client-labels.ts'
import { createGatewaySource, type GatewaySource } from './gateway.ts'
import { createQuotaSource, type QuotaSource } from './quota.ts'
import type { UpstreamSettings } from './settings.ts'
import type { Source, SourceListeners } from './source.ts'
import type { LiveSourceDeps, LiveSourceOptions, Management } from './source-options.ts'
import { createUsageSource, type UsageSource } from './usage.ts'
import { createUsageStatisticsSource } from './usage-statistics.ts'

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
  const { version, generation, clockSkewSeconds } = management.client.facts()
  const proxy = { address: addressOf(upstreamUrl) }
  const addresses: Partial<
    Record<ProxySourceId, Pick<SourceReading<unknown>, 'address' | 'pageUrl' | 'generation'>>
  > = {
    gateway: { address: addressOf(gatewayHealthUrl) },
    accounts: { ...proxy, pageUrl: upstreamUiUrl, ...(generation !== null && { generation }) },
    usage_statistics: proxy,
    usage: proxy,
  }
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

/** An address without user name, password and query, suitable for display. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`.replace(/\/+$/, '')
}

type SourcesById = { readonly [Id in ProxySourceId]: Source<SourceValue<Id>> }

/** All sources of one proxy, by id. The members listed here offer more than a reading. */
interface Sources extends SourcesById {
  readonly gateway: GatewaySource
  readonly accounts: AccountListSource
  readonly usage: UsageSource
  readonly direct_quota: QuotaSource
}

/** Creates every source once, idle, in the order they are started and retried. Throws if options contradict each other. */
export function createSources(
  options: LiveSourceOptions,
  management: Management,
  deps: LiveSourceDeps & SourceListeners,
): Sources {
  const { clock, usageSink: sink } = deps
  const { refreshSeconds: periodSeconds, gatewayHealthUrl: url } = options.upstream
  const { clientLabelsFile } = options.usage
  const { timeoutSeconds } = management
  const { name: upstream = DEFAULT_UPSTREAM } = options
  const successes = createUsageSuccesses()
  const missing = createMissingRequestsWatch(sink === null ? clock : { ...clock, now: sink.now })

  // Sources that refer to each other; all others are created in place.
  const accountList = createAccountListSource(
    {
      upstream,
      management,
      periodSeconds,
      evidence: () => quota.evidence(),
      successes,
      missing,
    },
    deps,
  )
  const quota: QuotaSource = createQuotaSource({ options, management, accountList }, deps)
  const usage = createUsageSource(
    { settings: options.usage, sink, management, accountList, quota, successes, missing },
    deps,
  )
  return {
    gateway: createGatewaySource({ url, periodSeconds, timeoutSeconds }, deps),
    benchmark: createBenchmarkSource(options.benchmark.benchmarkSummary, deps),
    client_labels: createClientLabelsSource({ path: clientLabelsFile, sink }, deps),
    accounts: accountList,
    usage_statistics: createUsageStatisticsSource({ management, missing }, deps),
    usage,
    direct_quota: quota,
  }
}
