import type { CollectorReport } from '@svc/collector'
import type { Clock, EndedRefresh } from '@svc/core/service'
import type { UsageGap, UsageTally } from '@svc/core/usage'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { guardReasons } from '../guards/host-origin-guard.ts'
import { type GaugeSamples, snapshotGauges } from './metric-families.ts'
import { createRequestTally } from './request-tally.ts'

const PREFIX = 'svc_quota_monitor_'
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

/** Upstream calls take milliseconds to a minute. In seconds. */
const REFRESH_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export interface Metrics {
  /** Text exposition 0.0.4. Does no I/O. */
  render(): Promise<string>
  /** Values from now on. `sampledAt`: instant of the account list; null before one was read, left out where it has not changed. */
  onGauges(gauges: readonly GaugeSamples[], sampledAt?: number | null): void
  onResponse(route: string, status: number, seconds: number): void
  onDenied(reason: string): void
  onConnectionRefused(): void
  onManualRefresh(result: EndedRefresh['status']): void
  /** What became of usage records. */
  onUsage(tally: UsageTally): void
  onGap(gap: UsageGap): void
  /** Requests the proxy has counted and did not hand to us. */
  onMissing(requestCount: number): void
  /** How much older than the history reaches back its oldest row is. */
  onBacklog(seconds: number): void
  readonly collectorReport: CollectorReport
}

/** The registry of one process. */
export function createMetrics(deps: { readonly clock: Clock; readonly version: string }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS })
  for (const name of UNWANTED_DEFAULTS) registry.removeSingleMetric(name)

  const gauges = new Map(
    snapshotGauges.map(({ name, help, labels = [] }) => [
      name,
      {
        isLabelled: labels.length > 0,
        gauge: new Gauge({ name: PREFIX + name, help, labelNames: [...labels], registers }),
      },
    ]),
  )
  let sampledAt: number | null = null
  let backlogSeconds: number | null = null
  new Gauge({
    name: `${PREFIX}history_backlog_seconds`,
    help: 'How much older than the history reaches back its oldest row is; absent before anything was forgotten.',
    registers,
    collect() {
      if (backlogSeconds === null) this.remove()
      else this.set(backlogSeconds)
    },
  })
  new Gauge({
    name: `${PREFIX}snapshot_age_seconds`,
    help: 'Age of the account list; absent until one was read.',
    registers,
    collect() {
      if (sampledAt === null) this.remove()
      else this.set(Math.max(0, (deps.clock.now() - sampledAt) / 1000))
    },
  })
  new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Always 1; the version is a label.',
    labelNames: ['version'],
    registers,
  }).set({ version: deps.version }, 1)

  const counter = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ) => new Counter({ name: PREFIX + name, help, labelNames: [...labelNames], registers })
  const refreshes = counter(
    'refresh_total',
    'Times the account list was due to be read, by result; held: the proxy was not asked.',
    ['result'],
  )
  const upstreamErrors = counter(
    'upstream_errors_total',
    'Failed calls to the proxy, by endpoint.',
    ['endpoint'],
  )
  const probes = counter(
    'direct_quota_probes_total',
    'Direct quota queries, by class of account and result.',
    ['class', 'result'],
  )
  const denials = counter(
    'http_guard_denied_total',
    'Requests the Host and Origin guard refused, by reason.',
    ['reason'],
  )
  for (const reason of guardReasons) denials.inc({ reason }, 0)
  const refusedConnections = counter(
    'http_connections_refused_total',
    'Connections closed unread because of the limit on their number.',
    [],
  )
  const manualRefreshes = counter(
    'manual_refresh_total',
    'Manual refreshes of quota that have ended, by result.',
    ['result'],
  )
  for (const result of ['completed', 'partial', 'failed'] as const)
    manualRefreshes.inc({ result }, 0)
  const ingested = counter('usage_rows_ingested_total', 'Usage records stored.', [])
  const duplicates = counter(
    'usage_rows_duplicate_total',
    'Usage records that were stored already.',
    [],
  )
  const quarantined = counter(
    'usage_rows_quarantined_total',
    'Usage records that could not be read.',
    [],
  )
  const expired = counter(
    'usage_rows_expired_total',
    'Usage records older than the history reaches back.',
    [],
  )
  const missing = counter(
    'usage_rows_missing_total',
    'Requests the proxy has counted and did not hand to this monitor.',
    [],
  )
  const gapSeconds = counter(
    'usage_gap_seconds_total',
    'Time in which usage may have been missed.',
    [],
  )

  const refreshSeconds = new Histogram({
    name: `${PREFIX}refresh_duration_seconds`,
    help: 'Time to read the account list.',
    buckets: REFRESH_BUCKETS,
    registers,
  })
  const requests = createRequestTally(PREFIX, registry)

  return {
    render: () => registry.metrics(),
    onGauges(values, listedAt = sampledAt) {
      sampledAt = listedAt
      for (const { name, samples } of values) {
        const known = gauges.get(name)
        if (known === undefined) continue
        const { gauge, isLabelled } = known
        // A label set that is gone must not keep its last value.
        if (isLabelled) gauge.reset()
        else gauge.remove()
        for (const { labels, value } of samples) gauge.set(labels ?? {}, value)
      }
    },
    onResponse: requests.count,
    onDenied: (reason) => denials.inc({ reason }),
    onConnectionRefused: () => refusedConnections.inc(),
    onManualRefresh: (result) => manualRefreshes.inc({ result }),
    onUsage(tally) {
      ingested.inc(tally.stored)
      duplicates.inc(tally.duplicate)
      quarantined.inc(tally.quarantined)
      expired.inc(tally.expired)
    },
    onGap: ({ from, to }) => gapSeconds.inc(Math.max(0, to - from) / 1000),
    onMissing: (requestCount) => missing.inc(requestCount),
    onBacklog(seconds) {
      backlogSeconds = seconds
    },
    collectorReport: {
      upstreamError: (endpoint) => upstreamErrors.inc({ endpoint }),
      probe: (quotaClass, result) => probes.inc({ class: quotaClass, result }),
      accountRefresh(result, seconds) {
        refreshes.inc({ result })
        if (result === 'ok') refreshSeconds.observe(seconds)
      },
    },
  }
}
