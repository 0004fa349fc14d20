import {
  type Observation,
  type QuotaRefresher,
  type RememberedPool,
  type SnapshotSource,
  type SourceChange,
  withRemembered,
} from '@svc/core'
import { createOpenFilesWatch } from './files/open-secret-files.ts'
import { createManagementGate } from './proxy/management-access.ts'
import { createUpstreamClient } from './proxy/upstream-client.ts'
import { createAccountListSource } from './sources/account-list.ts'
import { createBenchmarkSource } from './sources/benchmark.ts'
import { createClientLabelsSource } from './sources/client-labels.ts'
import { createGatewaySource } from './sources/gateway.ts'
import type { Management } from './sources/management.ts'
import { createKeyOfGate } from './sources/management-key.ts'
import { createQuotaSource } from './sources/quota.ts'
import type { Source } from './sources/source.ts'
import type { LiveSourceDeps, LiveSourceOptions } from './sources/source-options.ts'
import { createUsageSource } from './sources/usage.ts'
import { createUsageStatisticsSource } from './sources/usage-statistics.ts'
import { createMissingRequestsWatch } from './usage/missing-requests.ts'
import { createUsageSuccesses } from './usage/usage-successes.ts'

/** Watches a running proxy. */
export interface LiveSource extends SnapshotSource {
  /** Reads key, client labels and benchmark summary again and ends every hold, as a restart would. */
  reload(): void
  readonly refresher: QuotaRefresher
  /** Begins with what an earlier process knew; what this one has read goes before it. */
  restore(remembered: RememberedPool): void
}

/** Makes a live source at rest. It throws only when the options contradict each other; whatever the proxy does becomes part of the observation. */
export function createLiveSource(options: LiveSourceOptions, deps: LiveSourceDeps): LiveSource {
  const { clock, usageSink: sink } = deps
  const { upstream } = options
  const { refreshSeconds: accountRefreshSeconds, upstreamTimeoutSeconds: timeoutSeconds } = upstream
  const { clientLabelsFile } = options.usage
  let onChange: (change?: SourceChange) => void = () => {}
  const listening = { ...deps, onChange: (change?: SourceChange) => onChange(change) }
  const client = createUpstreamClient(upstream.upstreamUrl, deps)
  const gate = createManagementGate(clock)
  const management: Management = { client, gate, timeoutSeconds }
  const successes = createUsageSuccesses()
  const missing = createMissingRequestsWatch(sink === null ? clock : { ...clock, now: sink.now })

  const gateway = createGatewaySource(
    { url: upstream.gatewayHealthUrl, periodSeconds: accountRefreshSeconds, timeoutSeconds },
    listening,
  )
  const benchmark = createBenchmarkSource(options.benchmark.benchmarkSummary, listening)
  const clientLabels = createClientLabelsSource({ path: clientLabelsFile, sink }, listening)
  const accountList = createAccountListSource(
    { management, periodSeconds: accountRefreshSeconds, successes, missing },
    listening,
  )
  const usageStatistics = createUsageStatisticsSource({ management, missing }, listening)
  const quota = createQuotaSource({ options, management, accountList }, listening)
  const usage = createUsageSource(
    { settings: options.usage, sink, management, accountList, quota, successes, missing },
    listening,
  )
  // In this order they are started and tried again.
  const sources: readonly Source<unknown>[] = [
    gateway,
    benchmark,
    clientLabels,
    accountList,
    usageStatistics,
    usage,
    quota,
  ]

  gateway.onReturn(() => {
    if (gate.heldForMs() === 0) for (const source of sources) source.retry()
  })

  /** Also after an attempt that is under way with an earlier key, and without a usable key, so that the observation says why nothing is read. */
  const pollManagementAfresh = () => {
    void accountList.pollAfresh()
    void usageStatistics.pollAfresh()
  }
  const keySource = createKeyOfGate(upstream, { gate, onNewKey: pollManagementAfresh }, deps)
  const { quotaTransport, authDir } = options.quota
  const openFiles = createOpenFilesWatch(
    { clientLabelsFile, authDir: quotaTransport === 'auth-files' ? authDir : null },
    deps,
  )
  let remembered: RememberedPool | null = null

  return {
    start(changed) {
      onChange = changed
      for (const source of sources) source.start()
      openFiles.start(() => onChange())
      void keySource.read()
    },
    reload() {
      for (const source of sources) source.reload()
      void keySource.read().then(() => {
        gate.endHold()
        pollManagementAfresh()
      })
    },
    refresher: {
      available() {
        const { kind } = gate.access()
        return kind !== 'no_key' && kind !== 'unreadable_key'
      },
      isManagementKey: gate.isKey,
      begin: quota.refresh,
    },
    restore(pool) {
      remembered = pool
      quota.restore(pool)
      accountList.restore(pool)
      onChange()
    },
    latest(): Observation {
      const { version, clockSkewSeconds } = client.facts()
      const key = keySource.reading()
      const observation: Observation = {
        kind: 'live',
        accountRefreshSeconds,
        management: gate.access(),
        openSecretFiles: [
          ...(key?.kind === 'key' && key.readableByOthers ? (['management_key'] as const) : []),
          ...openFiles.open(),
        ],
        gateway: gateway.reading(),
        accountList: accountList.reading(),
        accountListIsRemembered: false,
        usageStatistics: usageStatistics.reading(),
        directQuota: quota.reading(),
        benchmark: benchmark.reading(),
        clientLabels: clientLabels.reading(),
        usageFeed: usage.reading(),
        // The owners of the history and of the time say how these do.
        history: { kind: 'off' },
        recentUsage: new Map(),
        clockDoubt: null,
        usageRivalSuspected: usage.isRivalSuspected(),
        evidenceByAuthName: quota.evidence(),
        upstreamVersion: version,
        clockSkewSeconds,
      }
      return observation.accountList.lastGood === null && remembered !== null
        ? withRemembered(observation, remembered)
        : observation
    },
    async stop() {
      keySource.stop()
      openFiles.stop()
      await Promise.all(sources.map((source) => source.stop()))
    },
  }
}
