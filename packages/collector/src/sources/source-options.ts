import type { EpochMs } from '@svc/core'
import type { Clock, Log, OffReason, Redacted } from '@svc/core/service'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { UsageSink } from '../usage/usage-sink.ts'

/** What a live source is set to: the settings of the configuration that are about the proxy. */
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
  /** Called with the proxy's clock by every answer that names it. */
  readonly onProxyTime?: (proxyNow: EpochMs) => void
}
