import type { Config } from '@svc/config'

/** Where the management key comes from; the environment wins. */
export function keyOriginOf({
  managementKey,
  managementKeyFile,
}: Config): 'environment' | 'file' | 'none' {
  if (managementKey !== null) return 'environment'
  return managementKeyFile === null ? 'none' : 'file'
}

/** The way to the vendor: `auto` is the proxy's, where there is a key for it. */
export function quotaTransportOf(config: Config): 'api-call' | 'auth-files' | 'off' {
  if (config.quotaTransport !== 'auto') return config.quotaTransport
  return keyOriginOf(config) === 'none' ? 'off' : 'api-call'
}
