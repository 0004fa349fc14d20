import type { EpochMs } from '@svc/core'
import type { Clock, Duty, Log, UpstreamName } from '@svc/core/service'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import type { QuotaSettings, UpstreamSettings, UsageSettings } from './settings.ts'

/** What a live source is set to: the settings of the configuration that are about the proxy. */
export interface LiveSourceOptions {
  /** Name of the proxy among several; left out for the default one. */
  readonly name?: UpstreamName
  readonly upstream: UpstreamSettings
  readonly quota: QuotaSettings
  readonly usage: UsageSettings
  readonly benchmark: {
    /** Summary file of an external benchmark, absolute; null for none. */
    readonly benchmarkSummary: string | null
  }
}

/** What a live source reads time and network by, and whom it tells. */
export interface LiveSourceDeps {
  readonly clock: Clock
  readonly fetch: typeof fetch
  /** Uniform in 0..1. */
  readonly random: () => number
  readonly log: Log
  readonly report: CollectorReport
  /** Where usage is kept; null for nowhere. */
  readonly usageSink: UsageSink | null
  /** Whether another monitor acts for the proxy; left out where there is no other. */
  readonly duty?: Duty
  /** Called with the proxy's clock by every answer that names it. */
  readonly onProxyTime?: (proxyNow: EpochMs) => void
}
