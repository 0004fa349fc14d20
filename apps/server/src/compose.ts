import { createLiveSource, type LiveSource } from '@svc/collector'
import { type Config, isLoopbackHost } from '@svc/config'
import {
  burnHoursOf,
  type Clock,
  type EvaluationPolicy,
  instantToHttpDate,
  isReady,
  type Log,
  type PoolRecord,
  type RecentChange,
  type RememberedPool,
  type SnapshotSource,
  scoringPolicy,
  type UsageMeasures,
  type UsageReader,
  type UsageReading,
} from '@svc/core'
import { createDemoRefresher, createDemoSource, createDemoUsageReader, demoCapacitySteps, demoRecentChanges } from '@svc/demo'
import { createWireText, openApiDocument, type StatusContext } from '@svc/views'
import { createApp } from './app.ts'
import { createTrustedClock, type TrustedClock } from './clock/trusted-clock.ts'
import { datedByOurClock, usageClockOf } from './clock/usage-clock.ts'
import { compileGuard } from './guards/host-origin-guard.ts'
import { createRefreshAuth, type RefreshAuth } from './guards/refresh-auth.ts'
import { createHttpServer, type HttpServer, httpLimits } from './http-server.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { encodeChart } from './monitor/encode-chart.ts'
import { encodeJson } from './monitor/encode-json.ts'
import { amended, encodeSnapshot } from './monitor/encode-snapshot.ts'
import { inTurns } from './monitor/in-turns.ts'
import { createMonitor, type Monitor, type RecordedPast } from './monitor/monitor.ts'
import type { EncodedPayload } from './monitor/payloads.ts'
import { createPoolMemory } from './monitor/pool-memory.ts'
import { createRefreshJob, type RefreshJob } from './monitor/refresh-job.ts'
import { type ChartSource, createSeriesAnswers } from './monitor/series-answers.ts'
import { createTrendWatch, type TrendSeed, type TrendWatch } from './monitor/trend-watch.ts'
import { createUsageWatch, type UsageWatch } from './monitor/usage-watch.ts'
import { type Dashboard, loadDashboard } from './routes/dashboard.ts'
import type { StartServerOptions } from './start-options.ts'
import { createHistory, type History } from './store/history.ts'
import { endsWithin } from './threads/thread.ts'

export interface Service {
  readonly monitor: Monitor
  readonly http: HttpServer
  /** Reads the files of key, client labels and benchmark summary again and ends a hold; nothing in demo. */
  readonly reload: () => void
  /** Ends everything within 10 s. False when a thread hangs in a call of the system and so outlives it. */
  readonly stop: () => Promise<boolean>
}

/** The composition root: a configuration to the parts that serve it. Opens nothing but the files of the dashboard. */
export function composeService({ config, demo, version, workers, dashboard, deps }: StartServerOptions): Service {
  const { clock, log } = deps
  const composedAtMs = clock.monotonicMs()
  const metrics = createMetrics({ clock, version })
  const text = createWireText(config.displayTimezone)
  const trustedClock = createTrustedClock({ clock, log })
  const memory = createPoolMemory()
  const onSeed = (seed: TrendSeed, remembered: RememberedPool | null) => {
    void trends.seed(seed)
    if (remembered === null) return
    memory.seed(remembered)
    live?.restore(remembered)
  }
  const onStored = () => usage.readNow()
  const { stateDb: path } = config
  const history =
    demo || path === null ? null : createHistory({ config, path, workers, metrics, onSeed, onStored, clock, trustedClock, log })
  const live = demo ? null : liveSource(config, { metrics, history, trustedClock }, deps)
  const demoRefresher = createDemoRefresher(clock)
  const source = live === null ? createDemoSource(demoRefresher.lastProbeAt) : withClock(live, trustedClock)
  const refresher = live?.refresher ?? demoRefresher
  const { quotaProbesPerMinute: probesPerMinute } = config
  const refresh = createRefreshJob({ refresher, probesPerMinute, clock, log, onEnded: metrics.onManualRefresh })
  const demoUsage = demo ? createDemoUsageReader() : null
  const usageClock = usageClockOf(clock, trustedClock)
  const stored = history === null ? null : datedByOurClock(history.reader, clock)
  const usage = createUsageWatch({ reader: demoUsage ?? stored, onRead: () => monitor.amend(), clock: usageClock, log })
  const trends = createTrendWatch({
    everySeconds: config.historyWriteSeconds,
    multiplier: config.weeklyToFiveHourMultiplier,
    keep: history === null ? null : (record) => keepPool(record, history),
    clock,
  })
  /** Its course, and how it stands, which the next process compares with. */
  const keepPool = async (record: PoolRecord, { keep }: History) => {
    const update = await memory.updateOf(source.latest(clock.now()), monitor.latest().snapshot.standing)
    await keep(record, update)
    if (update !== null) memory.kept(update)
  }
  const auth = createRefreshAuth(config.manualQuotaRefreshAuth, refresher, clock)
  const contextNow = (): StatusContext => ({ text, usage: usage.latest(), trends: trends.latest(), refresh: refresh.latest() })
  const monitor: Monitor = createMonitor({
    source: withRefresh(withHistory(demo ? withDemoTrends(source, trends, clock) : source, history, usage), refresh),
    policy: policyOf(config),
    takeRecorded: history?.takeRecorded ?? once(demo ? demoRecentChanges(clock.now()) : []),
    async encode(snapshot) {
      const context = contextNow()
      return { snapshot, payloads: await encodeSnapshot(snapshot, context), context }
    },
    amend: (published) => amended(published, contextNow()),
    isAwaited: refresh.isAwaited,
    readPaceMs: config.refreshSeconds * 1000,
    onSnapshot(snapshot) {
      // A course dated by a wrong clock would be none.
      if (snapshot.clockDoubt === null) trends.onSnapshot(snapshot)
    },
    onPublish: ({ snapshot, context }) => metrics.onSnapshot(snapshot, context),
    clock,
    log,
  })
  const chart = demoUsage === null ? (history?.reader.chart ?? null) : chartsOf(demoUsage)
  const app = createApp({
    payloads: monitor.read,
    openapi: contractOnDemand(),
    series: createSeriesAnswers({ chart, asOf: usage.asOf, clock: usageClock }),
    refresh: { auth, job: refresh, isShown: monitor.amend, text, clock },
    dashboard: dashboardIn(dashboard, auth, log),
    isReady: () => isReady(monitor.latest().snapshot, (clock.monotonicMs() - composedAtMs) / 1000),
    metrics: metrics.render,
    log,
  })
  const guard = compileGuard({ allowedHosts: config.allowedHosts, listenHost: config.host })
  const { onDenied, onResponse, onConnectionRefused } = metrics
  const monotonicMs = () => clock.monotonicMs()
  const date = deps.isMachineClock ? null : () => instantToHttpDate(clock.now())
  const http = createHttpServer({ app, guard, limits: httpLimits, log, monotonicMs, date, onDenied, onResponse, onConnectionRefused })
  const stopWatching = async () => {
    // A source may be waiting for a store that does not answer.
    await endsWithin(clock, SOURCE_STOP_MS_MAX, monitor.stop())
    return (await history?.stop()) ?? true
  }
  return {
    monitor,
    http,
    reload: () => live?.reload(),
    stop: () => Promise.all([stopWatching(), http.stop()]).then(([ended]) => ended),
  }
}

/** What was received is stored in this time, before the store closes. */
const SOURCE_STOP_MS_MAX = 2_000

/** Few ask for it, so it is not made before the service listens. */
function contractOnDemand(): () => Promise<EncodedPayload> {
  let contract: Promise<EncodedPayload> | null = null
  return () => {
    contract ??= encodeJson(openApiDocument())
    return contract
  }
}

/** Everything else works without its files. */
function dashboardIn(folder: URL, auth: RefreshAuth, log: Log): Dashboard | null {
  try {
    return loadDashboard(folder, auth)
  } catch {
    log.warn('the dashboard is not there: build it to see it at /')
    return null
  }
}

/** The list at the first call, nothing after it. */
function once(changes: readonly RecentChange[]): () => RecordedPast {
  let left = changes
  return () => {
    const taken = left
    left = []
    return { changes: taken, remembered: null }
  }
}

/** Tells the trends what the sample pool went through, once somebody may be looking. */
function withDemoTrends(source: SnapshotSource, trends: TrendWatch, clock: Clock): SnapshotSource {
  return {
    ...source,
    start(onChange) {
      source.start(onChange)
      void inTurns(demoCapacitySteps(clock.now())).then(async (points) => {
        await trends.seed({
          readings: [],
          points,
          burnHours: {
            '5h': burnHoursOf(points.filter(({ windowId }) => windowId === '5h')),
            week: burnHoursOf(points.filter(({ windowId }) => windowId === 'week')),
          },
          changes: [],
        })
        onChange()
      })
    },
  }
}

/** The source, with a refresh that begins or ends as a change. */
function withRefresh(source: SnapshotSource, refresh: RefreshJob): SnapshotSource {
  return {
    ...source,
    start(onChange) {
      refresh.onChange(onChange)
      source.start(onChange)
    },
    stop() {
      refresh.stop()
      return source.stop()
    },
  }
}

/** Charts from the sample, encoded here: it has no thread of its own. */
function chartsOf(reader: UsageReader): ChartSource {
  return async (request, now) => encodeChart(await reader.series(request.query, now), request, now)
}

/** Who has sent requests lately, by account key. */
function recentUsageOf(reading: UsageReading): ReadonlyMap<string, UsageMeasures> {
  return new Map(reading.kind === 'read' ? reading.summary.live.accounts.map((row) => [row.id, row]) : [])
}

/** The source, with how the history does; the first reading of usage and every change of the store are changes as well. */
function withHistory(source: SnapshotSource, history: History | null, usage: UsageWatch): SnapshotSource {
  return {
    start(onChange) {
      history?.start(() => {
        usage.readNow()
        onChange()
      })
      usage.start(onChange)
      source.start(onChange)
    },
    latest(now) {
      const observation = source.latest(now)
      return history === null ? observation : { ...observation, history: history.state(), recentUsage: recentUsageOf(usage.latest()) }
    },
    stop() {
      usage.stop()
      return source.stop()
    },
  }
}

function liveSource(
  config: Config,
  { metrics, history, trustedClock }: { readonly metrics: Metrics; readonly history: History | null; readonly trustedClock: TrustedClock },
  { clock, random, fetch, log }: StartServerOptions['deps'],
): LiveSource {
  const { upstreamUrl, gatewayHealthUrl, managementKey, managementKeyFile, authDir, upstreamTimeoutSeconds } = config
  const { quotaProbeConcurrency, quotaProbesPerMinute } = config
  if (keyOriginOf(config) === 'none') log.warn('no management key: set management_key_file to the file that holds it')
  return createLiveSource(
    {
      upstreamUrl,
      gatewayHealthUrl,
      managementKey,
      managementKeyFile,
      authDir,
      quotaTransport: quotaTransportOf(config),
      quotaOffReason: config.quotaTransport === 'off' ? 'switched_off' : 'no_key',
      accountRefreshSeconds: config.refreshSeconds,
      upstreamTimeoutSeconds,
      quotaProbeConcurrency,
      quotaProbesPerMinute,
      benchmarkSummary: config.benchmarkSummary,
      usageSource: config.usageSource,
      clientLabelsFile: config.clientLabelsFile,
    },
    { clock, random, fetch, log, report: metrics.collectorReport, usageSink: history?.sink ?? null, onProxyTime: trustedClock.proxySaid },
  )
}

/** The source, with what is to be thought of our clock. */
function withClock(source: SnapshotSource, trustedClock: TrustedClock): SnapshotSource {
  return {
    ...source,
    start(onChange) {
      trustedClock.onTurn(onChange)
      source.start(onChange)
    },
    latest: (now) => ({ ...source.latest(now), clockDoubt: trustedClock.read().doubt }),
  }
}

/** Where the management key comes from; the environment wins. */
export function keyOriginOf({ managementKey, managementKeyFile }: Config): 'environment' | 'file' | 'none' {
  if (managementKey !== null) return 'environment'
  return managementKeyFile === null ? 'none' : 'file'
}

/** The way to the vendor: `auto` is the proxy's, where there is a key for it. */
export function quotaTransportOf(config: Config): 'api-call' | 'auth-files' | 'off' {
  if (config.quotaTransport !== 'auto') return config.quotaTransport
  return keyOriginOf(config) === 'none' ? 'off' : 'api-call'
}

function policyOf(config: Config): EvaluationPolicy {
  const unlessOff = (value: number | 'off') => (value === 'off' ? null : value)
  return {
    multiplier: config.weeklyToFiveHourMultiplier,
    thresholds: {
      fiveHourMinUnits: unlessOff(config.alertFiveHourMinPlus),
      weeklyMinUnits: unlessOff(config.alertWeeklyMinPlus),
      routableMin: unlessOff(config.alertRoutableMin),
    },
    exposedHost: isLoopbackHost(config.host) ? null : config.host,
    scoring: scoringPolicy,
  }
}
