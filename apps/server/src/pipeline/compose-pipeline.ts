import type { Config } from '@svc/config'
import {
  type EpochMs,
  type EvaluationPolicy,
  type ServiceObservation,
  scoringPolicy,
} from '@svc/core'
import {
  burnHoursOf,
  type Log,
  type PoolRecord,
  type ProxyStanding,
  perWindow,
  type RecentChange,
} from '@svc/core/service'
import type { UsageMeasures, UsageReader, UsageReading } from '@svc/core/usage'
import {
  createDemoRefresher,
  createDemoSource,
  createDemoUsageReader,
  demoCapacityPoints,
  demoRecentChanges,
  demoServiceAt,
} from '@svc/demo'
import { createZone, type StatusContext } from '@svc/views'
import { type ChartSource, encodeChart } from '../answers/encode-chart.ts'
import { createTrustedClock, type TrustedClock } from '../clock/trusted-clock.ts'
import { datedByOurClock, usageClockOf } from '../clock/usage-clock.ts'
import { amended, encodeSnapshot } from '../monitor/encode-snapshot.ts'
import { createMonitor, type Published } from '../monitor/monitor.ts'
import { createPoolMemory } from '../monitor/pool-memory.ts'
import { createRefreshJob } from '../monitor/refresh-job.ts'
import { createSeriesAnswers } from '../monitor/series-answers.ts'
import { createTrendWatch } from '../monitor/trend-watch.ts'
import { createUsageWatch, type UsageWatch } from '../monitor/usage-watch.ts'
import { createHistory, type History, type RecordedPast } from '../store/history.ts'
import type { TrendSeed } from '../store/store-threads.ts'
import type { Channel } from '../threads/channel.ts'
import { fitHeapsTo } from '../threads/heap-size.ts'
import { endsWithin } from '../threads/thread.ts'
import { createConfiguredSource } from './configured-source.ts'
import type {
  PipelineApi,
  PipelineDeps,
  PipelineOutlet,
  PipelineReports,
  PipelineSetup,
} from './pipeline-api.ts'
import { handoverOf, ifStalledOf } from './publish.ts'

/** Everything between the proxy and ready bytes: observes, evaluates, words and encodes. */
export function composePipeline(
  { config, exposedHost, demo, workers: hrefs }: PipelineSetup,
  deps: PipelineDeps,
  outlet: Channel<PipelineOutlet>,
): PipelineApi {
  const { clock } = deps
  const log = logThrough(outlet)
  const report = reportThrough(outlet)
  const workers = {
    storeWriter: new URL(hrefs.storeWriter),
    storeReader: new URL(hrefs.storeReader),
  }
  const trustedClock = createTrustedClock({ clock, log })
  const { stateDb: path } = config.history
  const history =
    demo || path === null
      ? null
      : createHistory({ settings: config.history, path, workers, report, clock, trustedClock, log })

  const live = demo
    ? null
    : createConfiguredSource(config, { report, history, trustedClock, log }, deps)
  const demoRefresher = createDemoRefresher(clock)
  const source = live ?? createDemoSource(demoRefresher.lastProbeAt)
  const refresher = live?.refresher ?? demoRefresher
  const { quotaProbesPerMinute: probesPerMinute } = config.quota
  const refresh = createRefreshJob({
    refresher,
    probesPerMinute,
    clock,
    log,
    onEnded: report.onManualRefresh,
  })

  const demoUsage = demo ? createDemoUsageReader() : null
  const usageClock = usageClockOf(clock, trustedClock)
  const stored = history === null ? null : datedByOurClock(history.reader, clock)
  const usage = createUsageWatch({ reader: demoUsage ?? stored, clock: usageClock, log })
  const chart = demoUsage === null ? (history?.reader.chart ?? null) : chartsOf(demoUsage)
  const series = createSeriesAnswers({ chart, asOf: usage.asOf, clock: usageClock })

  const memory = createPoolMemory()
  /** The course of the pool, and how it stands, which the next process compares with. */
  const keepPool = async ({ keep }: History, record: PoolRecord, standing: ProxyStanding) => {
    const update = memory.updateOf(source.latest(clock.now()), standing)
    await keep(record, update)
    if (update !== null) memory.kept(update)
  }
  const trends = createTrendWatch({
    everySeconds: config.history.historyWriteSeconds,
    multiplier: config.capacity.weeklyToFiveHourMultiplier,
    keep: history === null ? null : (record, standing) => keepPool(history, record, standing),
    clock,
  })

  const text = createZone(config.display.displayTimezone)
  const contextNow = (): StatusContext => ({
    text,
    usage: usage.latest(),
    trends: trends.latest(),
    refresh: refresh.latest(),
  })
  let last: Published | null = null
  const monitor = createMonitor({
    observe: (now) => ({
      ...source.latest(now),
      ...(demo ? demoServiceAt(now) : serviceObservation(trustedClock, history, usage)),
    }),
    policy: policyOf(config, exposedHost),
    takeRecorded: history?.takeRecorded ?? once(demo ? demoRecentChanges(clock.now()) : []),
    encode(snapshot, wanted) {
      const context = contextNow()
      const payloads = encodeSnapshot(snapshot, context, wanted)
      return { snapshot, payloads, context, ifStalled: ifStalledOf({ snapshot, context }) }
    },
    encodeMore(published, wanted) {
      const { snapshot, context, payloads } = published
      return { ...published, payloads: encodeSnapshot(snapshot, context, wanted, payloads) }
    },
    amend: (published) => amended(published, contextNow()),
    isAwaited: refresh.isAwaited,
    readPaceMs: config.upstream.refreshSeconds * 1000,
    recordPaceMs:
      history === null ? Number.POSITIVE_INFINITY : config.history.historyWriteSeconds * 1000,
    onSnapshot(snapshot) {
      fitHeapsTo(snapshot.accounts.length)
      // A course dated by a wrong clock would be none.
      if (snapshot.clockDoubt === null) trends.onSnapshot(snapshot)
    },
    onPublish(published) {
      const { publication, transfer } = handoverOf(published, last)
      last = published
      outlet.tell('publish', [publication], transfer)
    },
    clock,
    log,
  })

  const start = () => {
    const { changed, amend } = monitor
    trustedClock.onTurn(changed)
    refresh.onChange(changed)
    history?.start({
      onSeed(seed, remembered) {
        trends.seed(seed)
        if (remembered === null) return
        memory.seed(remembered)
        live?.restore(remembered)
      },
      onStored: usage.readNow,
      onChange() {
        usage.readNow()
        changed()
      },
    })
    usage.start({ onFirst: changed, onRead: amend })
    monitor.start()
    source.start(changed)
    if (!demo) return
    trends.seed(demoTrends(clock.now()))
    changed()
  }

  const stop = async () => {
    monitor.stop()
    usage.stop()
    refresh.stop()
    // A source may be waiting for a store that does not answer.
    await endsWithin(clock, SOURCE_STOP_MS_MAX, source.stop())
    return (await history?.stop()) ?? true
  }

  return {
    prepare: monitor.prepare,
    start,
    read: monitor.read,
    chart(request) {
      // What the chart shows is in the other answers as well.
      monitor.read(null)
      return series.answer(request)
    },
    refreshAvailable: refresher.available,
    isManagementKey: refresher.isManagementKey,
    requestRefresh(scope) {
      const running = refresh.request(scope)
      monitor.read(null)
      monitor.amend()
      return running
    },
    reload: () => live?.reload(),
    ping: () => undefined,
    stop,
  }
}

function logThrough(outlet: Channel<PipelineOutlet>): Log {
  return {
    debug: (event, fields) => outlet.tell('log', ['debug', event, fields]),
    info: (event, fields) => outlet.tell('log', ['info', event, fields]),
    warn: (event, fields, kind) => outlet.tell('log', ['warn', event, fields, kind]),
    error: (event, fields, kind) => outlet.tell('log', ['error', event, fields, kind]),
  }
}

function reportThrough(outlet: Channel<PipelineOutlet>): PipelineReports {
  return {
    onManualRefresh: (result) => outlet.tell('onManualRefresh', [result]),
    onUsage: (tally) => outlet.tell('onUsage', [tally]),
    onGap: (gap) => outlet.tell('onGap', [gap]),
    onMissing: (requestCount) => outlet.tell('onMissing', [requestCount]),
    onBacklog: (seconds) => outlet.tell('onBacklog', [seconds]),
    collectorReport: {
      upstreamError: (...args) => outlet.tell('upstreamError', args),
      probe: (...args) => outlet.tell('probe', args),
      accountRefresh: (...args) => outlet.tell('accountRefresh', args),
    },
  }
}

/** What was received is stored in this time, before the store closes. */
const SOURCE_STOP_MS_MAX = 2_000

/** The list at the first call, nothing after it. */
function once(changes: readonly RecentChange[]): () => RecordedPast {
  let left = changes
  return () => {
    const taken = left
    left = []
    return { changes: taken, remembered: null }
  }
}

/** What the sample pool went through. */
function demoTrends(now: EpochMs): TrendSeed {
  const points = demoCapacityPoints(now)
  const burnHours = perWindow(({ id }) =>
    burnHoursOf(points.filter(({ windowId }) => windowId === id)),
  )
  return { readings: [], points, burnHours, changes: [] }
}

/** Charts from the sample, encoded here: it has no thread of its own. */
function chartsOf(reader: UsageReader): ChartSource {
  return async (request, now) => encodeChart(await reader.series(request.query, now), request, now)
}

/** Who has sent requests lately, by account key. */
function recentUsageOf(reading: UsageReading): ReadonlyMap<string, UsageMeasures> {
  return new Map(
    reading.kind === 'read' ? reading.summary.live.accounts.map((row) => [row.id, row]) : [],
  )
}

/** How the history does, who has sent requests lately, and why our clock is not believed. */
function serviceObservation(
  trustedClock: TrustedClock,
  history: History | null,
  usage: UsageWatch,
): ServiceObservation {
  return {
    history: history?.state() ?? { kind: 'off' },
    recentUsage: recentUsageOf(usage.latest()),
    clockDoubt: trustedClock.read().doubt,
  }
}

function policyOf({ capacity, alerts }: Config, exposedHost: string | null): EvaluationPolicy {
  const unlessOff = (value: number | 'off') => (value === 'off' ? null : value)
  return {
    multiplier: capacity.weeklyToFiveHourMultiplier,
    thresholds: {
      fiveHourMinUnits: unlessOff(alerts.alertFiveHourMinPlus),
      weeklyMinUnits: unlessOff(alerts.alertWeeklyMinPlus),
      routableMin: unlessOff(alerts.alertRoutableMin),
    },
    exposedHost,
    scoring: scoringPolicy,
  }
}
