import type { Clock } from '@svc/core/service'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { createEventCounters, type Report } from './event-counters.ts'
import { type GaugeSamples, snapshotGauges } from './metric-families.ts'

const PREFIX = 'svc_quota_monitor_'
/** In seconds: our own answers take microseconds to milliseconds. */
const ANSWER_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5]

export interface Metrics extends Report {
  /** Text exposition 0.0.4. What belongs to the snapshot is as of the last publication, everything else as of now. */
  render(): Promise<string>
  /** Values from now on. `sampledAt`: instant of the account list; null before one was read, left out where it has not changed. */
  onGauges(gauges: readonly GaugeSamples[], sampledAt?: number | null): void
  onResponse(route: string, status: number, seconds: number): void
}

/** The metrics of one process. */
export function createMetrics(deps: { readonly clock: Clock; readonly version: string }): Metrics {
  const published = createPublishedGauges(PREFIX)
  const processMetrics = createProcessMetrics()
  const registry = new Registry()
  let sampledAt: number | null = null
  let backlogSeconds: number | null = null
  let lagSeconds: number | null = null
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
  optionalGauge(
    'snapshot_age_seconds',
    'Age of the account list; absent until one was read.',
    () => (sampledAt === null ? null : Math.max(0, (deps.clock.now() - sampledAt) / 1000)),
  )
  new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Always 1; the version is a label.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: deps.version }, 1)
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
    setBacklog(seconds) {
      backlogSeconds = seconds
    },
    setLag(seconds) {
      lagSeconds = seconds
    },
  }
}

/** Looking every 10 ms, the default, alone takes twice the processor time an idle service may take in all. */
const LAG_SAMPLE_MS = 100

/** prom-client's own metrics we do without: gauges named like counters, which promtool rejects, and means that are `Nan` until sampled. */
const UNWANTED_DEFAULTS = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_lag_mean_seconds',
  'nodejs_eventloop_lag_stddev_seconds',
]

/** The metrics of this process, read at each scrape: how long the event loop was blocked must show in the next one. */
export function createProcessMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS })
  for (const name of UNWANTED_DEFAULTS) registry.removeSingleMetric(name)
  return registry
}

/** Gauges of the snapshot. Their text is made with the snapshot, so that no scrape of a large pool pays for it. */
export interface PublishedGauges {
  /** Takes the values of a publication and begins their text, so that it is ready for the next scrape. */
  publish(gauges: readonly GaugeSamples[]): void
  /** The text of the last publication; without values before the first. */
  text(): Promise<string>
}

export function createPublishedGauges(prefix: string): PublishedGauges {
  const registry = new Registry()
  const gauges = new Map(
    snapshotGauges.map(({ name, help, labels = [] }) => [
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
    publish(values) {
      for (const { name, samples } of values) {
        const known = gauges.get(name)
        if (known === undefined) continue
        const { gauge, isLabelled } = known
        // A label set that is gone must not keep its last value.
        if (isLabelled) gauge.reset()
        else gauge.remove()
        for (const { labels, value } of samples) gauge.set(labels ?? {}, value)
      }
      made = registry.metrics()
      // A failure meets the scrape that asks for the text.
      made.catch(() => undefined)
    },
    text: () => made,
  }
}
