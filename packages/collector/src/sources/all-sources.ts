import { DEFAULT_UPSTREAM, type ProxySourceId, type SourceValue } from '@svc/core/service'
import { createMissingRequestsWatch } from '../usage/missing-requests.ts'
import { createUsageSuccesses } from '../usage/usage-successes.ts'
import { type AccountListSource, createAccountListSource } from './account-list.ts'
import { createBenchmarkSource } from './benchmark.ts'
import { createClientLabelsSource } from './client-labels.ts'
import { createGatewaySource, type GatewaySource } from './gateway.ts'
import type { Management } from './management.ts'
import { createQuotaSource, type QuotaSource } from './quota.ts'
import type { Source, SourceListeners } from './source.ts'
import type { LiveSourceDeps, LiveSourceOptions } from './source-options.ts'
import { createUsageSource, type UsageSource } from './usage.ts'
import { createUsageStatisticsSource } from './usage-statistics.ts'

export type SourcesById = { readonly [Id in ProxySourceId]: Source<SourceValue<Id>> }

/** All sources of one proxy, by id. The members listed here offer more than a reading. */
export interface Sources extends SourcesById {
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
