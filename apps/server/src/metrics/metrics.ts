import type { EpochMs } from '@svc/core'
import type { Clock } from '@svc/core/service'
import {
  type CounterRow,
  eventCounters,
  type GaugeSamples,
  type PublishedMetrics,
  type Report,
  snapshotGauges,
  UPSTREAM_LABEL,
} from '@svc/monitor'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createUsageCounters } from './usage-counters.ts'

/** Counters with no label except the proxy: with several proxies each proxy has its own series. */
const unlabelledNames = (Object.entries(eventCounters) as [string, CounterRow][]).flatMap(
  ([name, { labels, ofUpstream }]) => (labels.length === 0 && ofUpstream === true ? [name] : []),
)

/** Bucket bounds in seconds: upstream calls take milliseconds to a minute. */
const REFRESH_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Registers the counters, then the histogram of reading the account list. */
export function createEventCounters(
  prefix: string,
  registry: Registry,
): Pick<Report, 'count' | 'timeListRead'> {
  const registers = [registry]
  const counters = new Map<string, Counter>()
  for (const [name, row] of Object.entries<CounterRow>(eventCounters)) {
    const { help, labels, shownAtStart = [], ofUpstream } = row
    const labelNames = [...labels, ...(ofUpstream === true ? [UPSTREAM_LABEL] : [])]
    const counter = new Counter({ name: prefix + name, help, labelNames, registers })
    for (const value of shownAtStart) counter.labels(value).inc(0)
    if (labels.length === 0) counter.inc(0)
    counters.set(name, counter)
  }
  const refreshSeconds = new Histogram({
    name: `${prefix}refresh_duration_seconds`,
    help: 'Time to read the account list.',
    labelNames: [UPSTREAM_LABEL],
    buckets: REFRESH_BUCKETS,
    registers,
  })
  refreshSeconds.zero({})
  /** Unlabelled series shown as 0 before the first count; each is removed as soon as a proxy is counted by name. */
  const nobodys = new Set([...unlabelledNames.map((name) => counters.get(name)), refreshSeconds])
  const take = (metric: Counter | Histogram, upstream: string | undefined) => {
    if (nobodys.delete(metric) && upstream !== undefined) metric.remove({})
  }
  return {
    count({ counter: name, by = 1, ...labels }) {
      const counter = counters.get(name)
      if (counter === undefined) return
      take(counter, 'upstream' in labels ? labels.upstream : undefined)
      counter.inc(labels, by)
    },
    timeListRead(seconds, upstream) {
      take(refreshSeconds, upstream)
      refreshSeconds.observe(upstream === undefined ? {} : { upstream }, seconds)
    },
  }
}

const PREFIX = 'svc_quota_monitor_'
/** Bucket bounds in seconds: our own answers take microseconds to milliseconds. Few bounds, because every route has a series for each. */
const ANSWER_BUCKETS = [0.001, 0.01, 0.1, 1]

interface Metrics extends PublishedMetrics {
  /** Text exposition 0.0.4. Gauges of the snapshot are as of the last publication, everything else as of now. */
  render(): Promise<string>
  onResponse(route: string, status: number, seconds: number): void
  setEventClients(count: number): void
}

/** The metrics of one process. */
export function createMetrics(deps: {
  readonly clock: Clock
  readonly version: string
  /** Maximum number of models, and clients, with series of their own; 0 for no metrics of usage. */
  readonly seriesMax: number
}): Metrics {
  const [release = '', revision = ''] = deps.version.split('+')
  const published = createPublishedGauges(PREFIX)
  const processMetrics = createProcessMetrics()
  const registry = new Registry()
  let sampledAt: number | null = null
  let backlogSeconds: number | null = null
  let lagSeconds: number | null = null
  const usageWaits = new Map<string | undefined, EpochMs | null>()
  let eventClients = 0
  const optionalGauge = (name: string, help: string, valueNow: () => number | null) =>
    new Gauge({
      name: PREFIX + name,
      help,
      registers: [registry],
      collect() {
        const value = valueNow()
        if (value === null) this.remove()
        else this.set(value)
      },
    })
  optionalGauge(
    'history_backlog_seconds',
    'How much older than the history reaches back its oldest row is; absent before anything was forgotten.',
    () => backlogSeconds,
  )
  optionalGauge(
    'history_lag_seconds',
    'How far the standby that charts are read from is behind; absent without state_db_replica, and while it does not answer.',
    () => lagSeconds,
  )
  new Gauge({
    name: `${PREFIX}usage_subscriber_lag_seconds`,
    help: 'Time since the oldest usage record arrived over a standing connection that is not stored yet, 0 up to a second; absent until one stood.',
    labelNames: [UPSTREAM_LABEL],
    registers: [registry],
    collect() {
      for (const [upstream, since] of usageWaits)
        this.set(
          upstream === undefined ? {} : { upstream },
          since === null ? 0 : Math.max(0, (deps.clock.now() - since) / 1000),
        )
    },
  })
  optionalGauge(
    'snapshot_age_seconds',
    'Age of the account list; absent until one was read.',
    () => (sampledAt === null ? null : Math.max(0, (deps.clock.now() - sampledAt) / 1000)),
  )
  optionalGauge('event_clients', 'Clients that follow the events.', () => eventClients)
  new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Always 1; the version is a label, and the commit it was built from.',
    labelNames: ['version', 'revision'],
    registers: [registry],
  }).set({ version: release, revision }, 1)
  const events = createEventCounters(PREFIX, registry)
  const answers = new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Answered requests, by route and status code.',
    labelNames: ['route', 'code'],
    registers: [registry],
  })
  const answerSeconds = new Histogram({
    name: `${PREFIX}http_request_duration_seconds`,
    help: 'Time to answer a request, by route.',
    labelNames: ['route'],
    buckets: ANSWER_BUCKETS,
    registers: [registry],
  })

  return {
    ...events,
    ...createUsageCounters(PREFIX, registry, deps.seriesMax),
    async render() {
      const texts = await Promise.all([
        processMetrics.metrics(),
        published.text(),
        registry.metrics(),
      ])
      return texts.join('\n')
    },
    onGauges(values, listedAt = sampledAt) {
      sampledAt = listedAt
      published.publish(values)
    },
    onResponse(route, status, seconds) {
      answers.inc({ route, code: status })
      answerSeconds.observe({ route }, seconds)
    },
    setEventClients(count) {
      eventClients = count
    },
    setBacklog(seconds) {
      backlogSeconds = seconds
    },
    setLag(seconds) {
      lagSeconds = seconds
    },
    setUsageWait(since, upstream) {
      usageWaits.set(upstream, since)
    },
  }
}

/** Sampling every 10 ms, the default, takes twice the processor time that an idle service may use in total. */
const LAG_SAMPLE_MS = 100

/**
 * Unused metrics of prom-client: gauges named like counters, which promtool rejects, means that are `Nan` until sampled, and many series
 * about the memory of V8.
 */
const UNWANTED_DEFAULTS = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
  'nodejs_gc_duration_seconds',
  'nodejs_heap_space_size_available_bytes',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
]

/** The metrics of this process, read at each scrape, so that the next scrape shows how long the event loop was blocked. */
export function createProcessMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS })
  for (const name of UNWANTED_DEFAULTS) registry.removeSingleMetric(name)
  return registry
}

/** Gauges of the snapshot. Their text is made along with the snapshot, so that a scrape of a large pool stays cheap. */
export function createPublishedGauges(prefix: string) {
  const registry = new Registry()
  const gauges = new Map(
    snapshotGauges.map(({ name, help, labels }) => [
      name,
      {
        isLabelled: labels.length > 0,
        gauge: new Gauge({
          name: prefix + name,
          help,
          labelNames: [...labels],
          registers: [registry],
        }),
      },
    ]),
  )
  let made = registry.metrics()

  return {
    /** Takes the values of a publication and starts to make their text, so that it is ready for the next scrape. */
    publish(values: readonly GaugeSamples[]) {
      for (const { name, samples } of values) {
        const known = gauges.get(name)
        if (known === undefined) continue
        const { gauge, isLabelled } = known
        // A label set that no longer exists must not keep its last value.
        if (isLabelled) gauge.reset()
        else gauge.remove()
        for (const { labels, value } of samples) gauge.set(labels ?? {}, value)
      }
      made = registry.metrics()
      // The scrape that asks for the text gets the failure.
      made.catch(() => undefined)
    },
    /** The text of the last publication; without values before the first. */
    text: (): Promise<string> => made,
  }
}

export type PublishedGauges = ReturnType<typeof createPublishedGauges>
