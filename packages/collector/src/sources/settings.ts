import type { Redacted } from '@svc/core/service'

/** Where the proxy is and how it is asked. */
export interface UpstreamSettings {
  /** Base address of the proxy, without user-info, query or fragment; the only place the management key is sent to. */
  readonly upstreamUrl: string
  readonly gatewayHealthUrl: string
  /** The key itself; it wins over the file. */
  readonly managementKey: Redacted | null
  /** Absolute path. */
  readonly managementKeyFile: string | null
  /** Time between two readings of the account list. */
  readonly refreshSeconds: number
  /** Time for one call, headers and body. */
  readonly upstreamTimeoutSeconds: number
}

/** How quota is queried. */
export interface QuotaSettings {
  /** Folder of the auth files, absolute; read by the `auth-files` transport alone. */
  readonly authDir: string | null
  readonly quotaTransport: 'auto' | 'api-call' | 'auth-files' | 'off'
  /** Queries under way at once. */
  readonly quotaProbeConcurrency: number
  /** Queries in any minute. */
  readonly quotaProbesPerMinute: number
}

/** How usage is read where there is somewhere to keep it. */
export interface UsageSettings {
  readonly usageSource: 'auto' | 'legacy' | 'queue' | 'off'
  /** File with the labels of clients, absolute; null for none. */
  readonly clientLabelsFile: string | null
}

/** Where the management key comes from; the environment wins. */
export function keyOriginOf({
  managementKey,
  managementKeyFile,
}: Pick<UpstreamSettings, 'managementKey' | 'managementKeyFile'>): 'environment' | 'file' | 'none' {
  if (managementKey !== null) return 'environment'
  return managementKeyFile === null ? 'none' : 'file'
}

/** The way to the vendor: `auto` is the proxy's, where there is a key for it. */
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
