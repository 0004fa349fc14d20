import {
  type AccountList,
  type BenchmarkSummary,
  type Clock,
  type EpochMs,
  type IngestedUsage,
  type Log,
  type Observation,
  type OffReason,
  offBecause,
  type QuotaRefresher,
  type Redacted,
  type RefreshRun,
  type RememberedPool,
  type SnapshotSource,
  type SourceChange,
  withRemembered,
} from '@svc/core'
import { createAccountTracker } from './accounts/account-tracker.ts'
import { accountListOf } from './accounts/auth-files.ts'
import type { KeyFileReading } from './files/local-files.ts'
import { createManagementKeySource } from './files/management-key-source.ts'
import { createOpenFilesWatch } from './files/open-secret-files.ts'
import type { CollectorReport } from './polling/collector-report.ts'
import { createPolledSource, type PolledSource, type SettledPoll } from './polling/polled-source.ts'
import { createManagementGate, type ManagementGate, type ManagementKey } from './proxy/management-access.ts'
import { createUpstreamClient, type ManagementCall, type UpstreamClient } from './proxy/upstream-client.ts'
import { UpstreamError } from './proxy/upstream-error.ts'
import { createQuotaSampler, type QuotaSampler } from './quota/quota-sampler.ts'
import { readBenchmarkSummary } from './sources/benchmark.ts'
import { readClientLabels } from './sources/client-labels.ts'
import { probeGateway } from './sources/gateway.ts'
import { fetchUsageStatistics } from './sources/usage-statistics.ts'
import { createApiCallTransport } from './transports/api-call.ts'
import { createAuthFilesTransport } from './transports/auth-files.ts'
import type { QuotaTransport } from './transports/quota-transport.ts'
import { accountDirectoryOf } from './usage/account-directory.ts'
import { createMissingRequestsWatch } from './usage/missing-requests.ts'
import { createUsageFeed } from './usage/usage-feed.ts'
import type { UsageSink } from './usage/usage-sink.ts'
import { createUsageSuccesses, onOurTime } from './usage/usage-successes.ts'

export interface LiveSourceOptions {
  /** Base address of the proxy, without user-info, query or fragment; the only place the management key is sent to. */
  readonly upstreamUrl: string
  readonly gatewayHealthUrl: string
  /** The key itself; it wins over the file. */
  readonly managementKey: Redacted | null
  /** Absolute path. */
  readonly managementKeyFile: string | null
  /** Folder of the auth files, absolute; read by the `auth-files` transport alone. */
  readonly authDir: string | null
  readonly quotaTransport: 'api-call' | 'auth-files' | 'off'
  /** Why no quota is queried where the transport is off. */
  readonly quotaOffReason: OffReason
  readonly accountRefreshSeconds: number
  readonly upstreamTimeoutSeconds: number
  readonly quotaProbeConcurrency: number
  readonly quotaProbesPerMinute: number
  /** Summary file of an external benchmark, absolute; null for none. */
  readonly benchmarkSummary: string | null
  /** How usage is read where there is somewhere to keep it. */
  readonly usageSource: 'auto' | 'legacy' | 'queue' | 'off'
  /** File with the labels of clients, absolute; null for none. Read only where usage is kept. */
  readonly clientLabelsFile: string | null
}

export interface LiveSourceDeps {
  readonly clock: Clock
  readonly fetch: typeof fetch
  /** Uniform in 0..1. */
  readonly random: () => number
  readonly log: Log
  readonly report: CollectorReport
  /** Where usage is kept; null for nowhere. */
  readonly usageSink: UsageSink | null
  /** Told the proxy's clock by every answer that names it. */
  readonly onProxyTime?: (proxyNow: EpochMs) => void
}

/** Watches a running proxy. */
export interface LiveSource extends SnapshotSource {
  /** Reads key, client labels and benchmark summary again and ends every hold, as a restart would. */
  reload(): void
  readonly refresher: QuotaRefresher
  /** Begins with what an earlier process knew; what this one has read goes before it. */
  restore(remembered: RememberedPool): void
}

/** Source: upstream contract 7.4, reliability "Poller contract". */
const LIST_BYTES_MAX = 64 * 1024 * 1024
const SWITCH_BYTES_MAX = 64 * 1024
const STATISTICS_PERIOD_SECONDS = 600
const BACKOFF_SECONDS_MAX = 300
const LIVELY_BACKOFF_SECONDS_MIN = 30
const BENCHMARK_PERIOD_SECONDS = 60
const LABELS_PERIOD_SECONDS = 15

/** Nobody is asked where direct queries are off. */
const QUOTA_OFF: RefreshRun = {
  tally: () => ({ queued: 0, done: 0, failed: 0 }),
  ended: Promise.resolve('quota_off'),
  cancel() {},
}

/** Makes a live source at rest. It throws only when the options contradict each other; whatever the proxy does becomes part of the observation. */
export function createLiveSource(options: LiveSourceOptions, deps: LiveSourceDeps): LiveSource {
  const { clock, report } = deps
  const client = createUpstreamClient(options.upstreamUrl, deps)
  const gate = createManagementGate(clock)
  const tracker = createAccountTracker()
  let onChange: (change?: SourceChange) => void = () => {}
  let remembered: RememberedPool | null = null

  const count = (endpoint: string, settled: SettledPoll) => {
    if (settled.kind === 'failed' && settled.error instanceof UpstreamError) report.upstreamError(endpoint, settled.error.code)
  }
  const managed = <Value>(stop: AbortSignal, bytesMax: number, send: (call: ManagementCall) => Promise<Value>) =>
    gate.call((key) => send({ key, stop, bytesMax, seconds: options.upstreamTimeoutSeconds }))

  // Down for long, these two still answer within two periods once they can: everything else waits for them.
  const livelyBackoffSecondsMax = Math.max(2 * options.accountRefreshSeconds, LIVELY_BACKOFF_SECONDS_MIN)
  const accountList = createPolledSource<AccountList>(
    {
      source: 'accounts',
      periodSeconds: options.accountRefreshSeconds,
      backoffSecondsMax: livelyBackoffSecondsMax,
      async poll(stop) {
        missing.listBegins()
        const answer = await managed(stop, LIST_BYTES_MAX, (call) => client.get('auth-files', call))
        return successes.appliedTo(accountListOf(answer, client.facts().clockSkewSeconds, tracker))
      },
      heldForMs: gate.heldForMs,
      onSettled(settled) {
        count('auth-files', settled)
        report.accountRefresh(settled.kind, settled.seconds)
        const list = accountList.reading().lastGood
        if (settled.kind === 'ok' && list !== null) followAccounts(list.value)
        onChange(changeOf(settled))
      },
    },
    deps,
  )
  const usageStatistics = createPolledSource<{ readonly enabled: boolean }>(
    {
      source: 'usage statistics',
      periodSeconds: STATISTICS_PERIOD_SECONDS,
      backoffSecondsMax: BACKOFF_SECONDS_MAX,
      poll: (stop) => managed(stop, SWITCH_BYTES_MAX, (call) => fetchUsageStatistics(client, call)),
      heldForMs: gate.heldForMs,
      onSettled(settled) {
        count('usage-statistics-enabled', settled)
        if (settled.kind === 'ok') missing.useRecording(usageStatistics.reading().lastGood?.value.enabled !== false)
        onChange(changeOf(settled))
      },
    },
    deps,
  )
  const successes = createUsageSuccesses()
  const missing = createMissingRequestsWatch(deps.usageSink === null ? clock : { ...clock, now: deps.usageSink.now })
  const usageFeed =
    deps.usageSink === null || options.usageSource === 'off'
      ? null
      : createUsageFeed(
          {
            mode: options.usageSource,
            client,
            gate,
            sink: explaining(deps.usageSink, missing.explain),
            onPop: missing.popBegins,
            onUsage: (usage, emptied) => followUsage(usage, emptied),
            onSettled(settled) {
              count('usage', settled)
              onChange(changeOf(settled))
            },
          },
          deps,
        )

  const followAccounts = ({ accounts, requestCounters }: AccountList) => {
    sampler?.useAccounts(accounts)
    deps.usageSink?.useAccounts(accountDirectoryOf(accounts))
    if (requestCounters !== null) missing.listed(requestCounters.success + requestCounters.failed)
    if (requestCounters !== null && requestCounters.restartedAt !== restartedAt) missing.explain()
    restartedAt = requestCounters?.restartedAt ?? null
    // Without the accounts nobody could tell whose usage it is.
    if (usageFeed?.reading().outcome.kind === 'pending' && deps.usageSink?.refusal() === null) usageFeed.pollNow()
  }

  let restartedAt: EpochMs | null = null
  let counting = false
  /** Tried again with the next pop where the store does not take it. */
  const countMissing = async () => {
    const found = missing.uncounted()
    if (found === null || counting || deps.usageSink === null) return
    counting = true
    const gap = { from: found.from, to: found.to, reason: 'not_handed_to_us' } as const
    await deps.usageSink.recordMissing(found.count, gap).then(
      () => missing.counted(found),
      () => undefined,
    )
    counting = false
  }

  const followUsage = ({ listedCount, activity }: IngestedUsage, emptied: boolean) => {
    missing.popped({ recordCount: listedCount, emptied })
    void countMissing()
    const ours = activity.map((account) => onOurTime(account, client.facts().clockSkewSeconds))
    successes.note(ours)
    sampler?.usePassive(ours)
  }

  const { clientLabelsFile } = options
  const clientLabels =
    clientLabelsFile === null || deps.usageSink === null
      ? null
      : createPolledSource<{ readonly clientCount: number }>(
          {
            source: 'client labels',
            periodSeconds: LABELS_PERIOD_SECONDS,
            backoffSecondsMax: LABELS_PERIOD_SECONDS,
            async poll() {
              const labels = await readClientLabels(clientLabelsFile)
              deps.usageSink?.useLabels(labels)
              return { clientCount: labels.size }
            },
            heldForMs: () => 0,
            onSettled: (settled) => onChange(changeOf(settled)),
          },
          deps,
        )

  const openFiles = createOpenFilesWatch(
    { clientLabelsFile, authDir: options.quotaTransport === 'auth-files' ? options.authDir : null },
    deps,
  )

  let gatewayWasDown = false
  const gateway = createPolledSource<{ readonly up: true }>(
    {
      source: 'gateway',
      periodSeconds: options.accountRefreshSeconds,
      backoffSecondsMax: livelyBackoffSecondsMax,
      poll: (stop) => probeGateway(options.gatewayHealthUrl, { stop, seconds: options.upstreamTimeoutSeconds }, deps),
      heldForMs: () => 0,
      onSettled(settled) {
        count('healthz', settled)
        if (settled.kind === 'ok' && gatewayWasDown) retryFailed()
        gatewayWasDown = settled.kind !== 'ok'
        onChange(changeOf(settled))
      },
    },
    deps,
  )
  const transport = transportOf(options, { client, gate, deps })
  const sampler: QuotaSampler | null =
    transport === null
      ? null
      : createQuotaSampler(
          {
            transport,
            concurrency: options.quotaProbeConcurrency,
            probesPerMinute: options.quotaProbesPerMinute,
            refreshAccountList: accountList.pollAfresh,
            onChange: () => onChange(),
          },
          deps,
        )

  const { benchmarkSummary } = options
  const benchmark =
    benchmarkSummary === null
      ? null
      : createPolledSource<BenchmarkSummary>(
          {
            source: 'benchmark',
            periodSeconds: BENCHMARK_PERIOD_SECONDS,
            backoffSecondsMax: BENCHMARK_PERIOD_SECONDS,
            poll: () => readBenchmarkSummary(benchmarkSummary),
            heldForMs: () => 0,
            onSettled: (settled) => onChange(changeOf(settled)),
          },
          deps,
        )

  /** Also after an attempt that is under way with an earlier key. */
  const pollManagementAfresh = () => {
    void accountList.pollAfresh()
    void usageStatistics.pollAfresh()
  }

  const retryFailed = () => {
    if (gate.heldForMs() > 0) return
    for (const source of [accountList, usageStatistics, ...(usageFeed === null ? [] : [usageFeed])]) {
      if (source.reading().outcome.kind === 'failed') source.pollNow()
    }
    sampler?.retryNow()
  }

  const keySource = createManagementKeySource(
    {
      fromEnvironment: options.managementKey,
      path: options.managementKeyFile,
      periodSeconds: options.accountRefreshSeconds,
      onReading(reading) {
        // Also without a usable key, so that the observation says why nothing is read.
        if (gate.useKey(managementKeyOf(reading))) pollManagementAfresh()
      },
    },
    deps,
  )

  return {
    start(changed) {
      onChange = changed
      gateway.pollNow()
      benchmark?.pollNow()
      clientLabels?.pollNow()
      openFiles.start(() => onChange())
      deps.usageSink?.onReady(() => {
        if (accountList.reading().lastGood !== null) usageFeed?.pollNow()
      })
      void keySource.read()
    },
    reload() {
      void clientLabels?.pollAfresh()
      void benchmark?.pollAfresh()
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
      begin: (scope) => sampler?.refresh(scope) ?? QUOTA_OFF,
    },
    restore(pool) {
      remembered = pool
      const known = new Map(pool.accounts.map((one) => [one.account.selector.authName, one]))
      sampler?.restore(known)
      tracker.restore(known)
      successes.note(
        pool.accounts.map(({ account }) => ({
          accountKey: account.selector.accountKey,
          lastSuccessAt: account.lastSuccessAt,
          sample: null,
        })),
      )
      onChange()
    },
    latest(): Observation {
      const { version, clockSkewSeconds } = client.facts()
      const key = keySource.reading()
      const observation: Observation = {
        kind: 'live',
        accountRefreshSeconds: options.accountRefreshSeconds,
        management: gate.access(),
        openSecretFiles: [...(key?.kind === 'key' && key.readableByOthers ? (['management_key'] as const) : []), ...openFiles.open()],
        gateway: gateway.reading(),
        accountList: accountList.reading(),
        accountListIsRemembered: false,
        usageStatistics: usageStatistics.reading(),
        directQuota: sampler?.reading() ?? offBecause(options.quotaOffReason),
        benchmark: benchmark?.reading() ?? offBecause('not_configured'),
        clientLabels: clientLabels?.reading() ?? offBecause(clientLabelsFile === null ? 'not_configured' : 'no_store'),
        usageFeed: usageFeed?.reading() ?? offBecause(deps.usageSink === null ? 'no_store' : 'switched_off'),
        // The owners of the history and of the time say how these do.
        history: { kind: 'off' },
        recentUsage: new Map(),
        clockDoubt: null,
        usageRivalSuspected: missing.isRivalSuspected() && usageFeed?.reading().lastGood?.value.kind === 'queue',
        evidenceByAuthName: sampler?.evidence() ?? new Map(),
        upstreamVersion: version,
        clockSkewSeconds,
      }
      return observation.accountList.lastGood === null && remembered !== null ? withRemembered(observation, remembered) : observation
    },
    async stop() {
      keySource.stop()
      openFiles.stop()
      const sources: readonly Pick<PolledSource<unknown>, 'stop'>[] = [
        gateway,
        accountList,
        usageStatistics,
        ...(sampler === null ? [] : [sampler]),
        ...(benchmark === null ? [] : [benchmark]),
        ...(clientLabels === null ? [] : [clientLabels]),
        ...(usageFeed === null ? [] : [usageFeed]),
      ]
      await Promise.all(sources.map((source) => source.stop()))
    },
  }
}

/** What has failed may have failed more often than before. */
function changeOf(settled: SettledPoll): SourceChange {
  return settled.kind === 'ok' ? settled.change : 'content'
}

/** The sink, with every gap as a reason for requests to be missing. */
function explaining(sink: UsageSink, explain: () => void): UsageSink {
  return {
    ...sink,
    recordGap(gap) {
      explain()
      return sink.recordGap(gap)
    },
  }
}

interface TransportParts {
  readonly client: UpstreamClient
  readonly gate: ManagementGate
  readonly deps: LiveSourceDeps
}

function transportOf(options: LiveSourceOptions, { client, gate, deps }: TransportParts): QuotaTransport | null {
  switch (options.quotaTransport) {
    case 'off':
      return null
    case 'api-call':
      return createApiCallTransport(client, gate)
    case 'auth-files':
      if (options.authDir === null) throw new Error('the auth-files quota transport needs auth_dir')
      return createAuthFilesTransport(options.authDir, deps)
    default:
      return options.quotaTransport satisfies never
  }
}

function managementKeyOf(reading: KeyFileReading | null): ManagementKey {
  if (reading === null) return { kind: 'none' }
  return reading.kind === 'key' ? { kind: 'key', key: reading.key } : { kind: 'unreadable', reason: reading.reason }
}
