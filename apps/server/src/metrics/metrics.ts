import type { Clock } from '@svc/core/service'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createEventCounters, type Report } from './event-counters.ts'
import type { GaugeSamples } from './metric-families.ts'
import { createProcessMetrics } from './process-metrics.ts'
import { createPublishedGauges } from './published-gauges.ts'

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
