import type { CollectorReport } from '@svc/collector'
import type { EndedRefresh } from '@svc/core/service'
import type { UsageGap, UsageTally } from '@svc/core/usage'
import { Counter, Histogram, type Registry } from 'prom-client'
import { guardReasons } from '../guards/host-origin-guard.ts'

/** Upstream calls take milliseconds to a minute. In seconds. */
const REFRESH_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Counts what happens, but for answered requests. */
export interface EventCounters {
  onDenied(reason: string): void
  onConnectionRefused(): void
  onManualRefresh(result: EndedRefresh['status']): void
  /** Adds up what became of usage records. */
  onUsage(tally: UsageTally): void
  onGap(gap: UsageGap): void
  /** Requests the proxy has counted and did not hand to us. */
  onMissing(requestCount: number): void
  readonly collectorReport: CollectorReport
}

type AddCounter = <Label extends string>(
  name: string,
  help: string,
  ...labelNames: readonly Label[]
) => Counter<Label>

/** Registers the counters in the order in which they are shown. */
export function createEventCounters(prefix: string, registry: Registry): EventCounters {
  const registers = [registry]
  const counter: AddCounter = (name, help, ...labelNames) =>
    new Counter({ name: prefix + name, help, labelNames: [...labelNames], registers })
  const upstream = upstreamCounters(counter)
  const http = httpCounters(counter)
  const usage = usageCounters(counter)
  const refreshSeconds = new Histogram({
    name: `${prefix}refresh_duration_seconds`,
    help: 'Time to read the account list.',
    buckets: REFRESH_BUCKETS,
    registers,
  })
  return {
    ...http,
    ...usage,
    collectorReport: {
      ...upstream,
      accountRefresh(result, seconds) {
        upstream.accountRefresh(result)
        if (result === 'ok') refreshSeconds.observe(seconds)
      },
    },
  }
}

function upstreamCounters(counter: AddCounter) {
  const refreshes = counter(
    'refresh_total',
    'Times the account list was due to be read, by result; held: the proxy was not asked.',
    'result',
  )
  const errors = counter(
    'upstream_errors_total',
    'Failed calls to the proxy, by endpoint.',
    'endpoint',
  )
  const probes = counter(
    'direct_quota_probes_total',
    'Direct quota queries, by class of account and result.',
    'class',
    'result',
  )
  return {
    upstreamError: (endpoint) => errors.inc({ endpoint }),
    probe: (quotaClass, result) => probes.inc({ class: quotaClass, result }),
    accountRefresh: (result: string) => refreshes.inc({ result }),
  } satisfies Partial<Omit<CollectorReport, 'accountRefresh'>> & {
    accountRefresh(result: string): void
  }
}

function httpCounters(
  counter: AddCounter,
): Pick<EventCounters, 'onDenied' | 'onConnectionRefused' | 'onManualRefresh'> {
  const denials = counter(
    'http_guard_denied_total',
    'Requests the Host and Origin guard refused, by reason.',
    'reason',
  )
  for (const reason of guardReasons) denials.inc({ reason }, 0)
  const refusedConnections = counter(
    'http_connections_refused_total',
    'Connections closed unread because of the limit on their number.',
  )
  const manualRefreshes = counter(
    'manual_refresh_total',
    'Manual refreshes of quota that have ended, by result.',
    'result',
  )
  for (const result of ['completed', 'partial', 'failed'] as const)
    manualRefreshes.inc({ result }, 0)
  return {
    onDenied: (reason) => denials.inc({ reason }),
    onConnectionRefused: () => refusedConnections.inc(),
    onManualRefresh: (result) => manualRefreshes.inc({ result }),
  }
}

function usageCounters(
  counter: AddCounter,
): Pick<EventCounters, 'onUsage' | 'onGap' | 'onMissing'> {
  const ingested = counter('usage_rows_ingested_total', 'Usage records stored.')
  const duplicates = counter(
    'usage_rows_duplicate_total',
    'Usage records that were stored already.',
  )
  const quarantined = counter(
    'usage_rows_quarantined_total',
    'Usage records that could not be read.',
  )
  const expired = counter(
    'usage_rows_expired_total',
    'Usage records older than the history reaches back.',
  )
  const missing = counter(
    'usage_rows_missing_total',
    'Requests the proxy has counted and did not hand to this monitor.',
  )
  const gapSeconds = counter('usage_gap_seconds_total', 'Time in which usage may have been missed.')
  return {
    onUsage(tally) {
      ingested.inc(tally.stored)
      duplicates.inc(tally.duplicate)
      quarantined.inc(tally.quarantined)
      expired.inc(tally.expired)
    },
    onGap: ({ from, to }) => gapSeconds.inc(Math.max(0, to - from) / 1000),
    onMissing: (requestCount) => missing.inc(requestCount),
  }
}
