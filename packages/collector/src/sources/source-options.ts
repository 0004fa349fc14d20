import type { EpochMs } from '@svc/core'
import type { Clock, Duty, Log, UpstreamName } from '@svc/core/service'
import type { LoginAliases } from '../accounts/login-aliases.ts'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { ManagementGate } from '../proxy/management-access.ts'
import type { OwnSecrets } from '../proxy/own-secrets.ts'
import type { connectResp } from '../proxy/resp-connection.ts'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import type { AskedStore } from '../quota/asked-notes.ts'
import type { VendorPace } from '../quota/vendor-pace.ts'
import type { Providers } from '../transports/quota-transport.ts'
import type { UsageSink } from '../usage/usage-sink.ts'
import type { QuotaSettings, UpstreamSettings, UsageSettings } from './settings.ts'

/** The management API with its gate. */
export interface Management {
  readonly client: UpstreamClient
  readonly gate: ManagementGate
  /** Time limit of a call. */
  readonly timeoutSeconds: number
}

/** Sends one call when the gate allows it. */
export function callManagement<Value>(
  { gate, timeoutSeconds }: Management,
  limits: Pick<ManagementCall, 'stop' | 'bytesMax'>,
  send: (call: ManagementCall) => Promise<Value>,
): Promise<Value> {
  return gate.call((key) => send({ ...limits, key, seconds: timeoutSeconds }))
}

/** Options of a live source: the settings of the configuration that concern the proxy. */
export interface LiveSourceOptions {
  /** Name of the proxy among several; absent for the default proxy. */
  readonly name?: UpstreamName
  readonly upstream: UpstreamSettings
  readonly quota: QuotaSettings
  readonly usage: UsageSettings
  readonly benchmark: {
    /** Summary file of an external benchmark, absolute; null for none. */
    readonly benchmarkSummary: string | null
  }
}

/** Clock, network, log and listeners of a live source. */
export interface LiveSourceDeps {
  readonly clock: Clock
  readonly fetch: typeof fetch
  /** Connects to the proxy by RESP; left out where only HTTP is to be used. */
  readonly connectResp?: typeof connectResp
  /** Uniform in 0..1. */
  readonly random: () => number
  readonly log: Log
  readonly report: CollectorReport
  /** Store for usage; null if usage is not kept. */
  readonly usageSink: UsageSink | null
  /** Whether another monitor acts for the proxy; absent if there is no other monitor. */
  readonly duty?: Duty
  /** Store of the last queries; absent if they are not kept. */
  readonly asked?: AskedStore
  /** Called with the proxy's clock for every answer that contains it. */
  readonly onProxyTime?: (proxyNow: EpochMs) => void
  /** Turns and pauses of vendor queries, shared by several proxies; absent if this proxy has its own. */
  readonly pace?: VendorPace
  /** Account keys by identity, shared by several proxies; absent if this proxy has its own. */
  readonly aliases?: LoginAliases
  /** The providers that can be queried; absent for all known providers. */
  readonly providers?: Providers
  /** Secrets of this process besides the keys, removed from every text of a proxy; shared by all proxies. */
  readonly ownSecrets?: OwnSecrets
}
