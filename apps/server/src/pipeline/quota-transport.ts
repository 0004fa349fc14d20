import type { Config } from '@svc/config'

/** Where the management key comes from; the environment wins. */
export function keyOriginOf({ upstream }: Config): 'environment' | 'file' | 'none' {
  if (upstream.managementKey !== null) return 'environment'
  return upstream.managementKeyFile === null ? 'none' : 'file'
}

/** The way to the vendor: `auto` is the proxy's, where there is a key for it. */
export function quotaTransportOf(config: Config): 'api-call' | 'auth-files' | 'off' {
  if (config.quota.quotaTransport !== 'auto') return config.quota.quotaTransport
  return keyOriginOf(config) === 'none' ? 'off' : 'api-call'
}
