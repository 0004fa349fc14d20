import type { Redacted } from '@svc/core/service'

/** Address, key and call limits of the proxy. */
export interface UpstreamSettings {
  /** Base address of the proxy, without user-info, query or fragment; the only place the management key is sent to. */
  readonly upstreamUrl: string
  readonly gatewayHealthUrl: string
  /** The proxy's own page as browsers reach it, without user-info, query or fragment. */
  readonly upstreamUiUrl: string
  /** The key itself; takes precedence over the file. */
  readonly managementKey: Redacted | null
  /** Absolute path. */
  readonly managementKeyFile: string | null
  /** Interval between readings of the account list. */
  readonly refreshSeconds: number
  /** Time limit of one call, including headers and body. */
  readonly upstreamTimeoutSeconds: number
}

export interface QuotaSettings {
  /** Folder of the auth files, absolute; read by the `auth-files` transport alone. */
  readonly authDir: string | null
  readonly quotaTransport: 'auto' | 'api-call' | 'auth-files' | 'off'
  /** Maximum number of queries under way at the same time. */
  readonly quotaProbeConcurrency: number
  /** Maximum number of queries in any minute. */
  readonly quotaProbesPerMinute: number
  /** Names of the providers whose accounts are queried; `kimi` means `kimi-ai` too. */
  readonly quotaProbeProviders: readonly string[]
}

/** Settings of usage, which is read only if there is a store for it. */
export interface UsageSettings {
  readonly usageSource: 'auto' | 'queue' | 'subscribe' | 'legacy' | 'off'
  /** File with the labels of clients, absolute; null for none. */
  readonly clientLabelsFile: string | null
}

/** Origin of the management key; the environment takes precedence. */
export function keyOriginOf({
  managementKey,
  managementKeyFile,
}: Pick<UpstreamSettings, 'managementKey' | 'managementKeyFile'>): 'environment' | 'file' | 'none' {
  if (managementKey !== null) return 'environment'
  return managementKeyFile === null ? 'none' : 'file'
}

/** Name of the transport to the vendor: `auto` means the proxy if a key is set, otherwise off. */
export function transportNameOf({
  upstream,
  quota: { quotaTransport },
}: {
  readonly upstream: UpstreamSettings
  readonly quota: QuotaSettings
}): 'api-call' | 'auth-files' | 'off' {
  if (quotaTransport !== 'auto') return quotaTransport
  return keyOriginOf(upstream) === 'none' ? 'off' : 'api-call'
}
