import type { BenchmarkSummary } from '@svc/core/service'
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
import { createUsageStatisticsSource, type UsageStatisticsSource } from './usage-statistics.ts'

/** Everything that is read of one proxy. */
export interface Sources {
  readonly gateway: GatewaySource
  readonly benchmark: Source<BenchmarkSummary>
  readonly clientLabels: Source<{ readonly clientCount: number }>
  readonly accountList: AccountListSource
  readonly usageStatistics: UsageStatisticsSource
  readonly usage: UsageSource
  readonly quota: QuotaSource
  /** Each of them, in the order they are started and tried again. */
  readonly all: readonly Source<unknown>[]
}

/** Makes every source once, at rest. Throws when the options contradict each other. */
export function createSources(
  options: LiveSourceOptions,
  management: Management,
  deps: LiveSourceDeps & SourceListeners,
): Sources {
  const { clock, usageSink: sink } = deps
  const { refreshSeconds: periodSeconds, gatewayHealthUrl: url } = options.upstream
  const { timeoutSeconds } = management
  const successes = createUsageSuccesses()
  const missing = createMissingRequestsWatch(sink === null ? clock : { ...clock, now: sink.now })

  const gateway = createGatewaySource({ url, periodSeconds, timeoutSeconds }, deps)
  const benchmark = createBenchmarkSource(options.benchmark.benchmarkSummary, deps)
  const clientLabels = createClientLabelsSource(
    { path: options.usage.clientLabelsFile, sink },
    deps,
  )
  const accountList = createAccountListSource(
    { management, periodSeconds, successes, missing },
    deps,
  )
  const usageStatistics = createUsageStatisticsSource({ management, missing }, deps)
  const quota = createQuotaSource({ options, management, accountList }, deps)
  const usage = createUsageSource(
    { settings: options.usage, sink, management, accountList, quota, successes, missing },
    deps,
  )
  const named = { gateway, benchmark, clientLabels, accountList, usageStatistics, usage, quota }
  return { ...named, all: Object.values(named) }
}
