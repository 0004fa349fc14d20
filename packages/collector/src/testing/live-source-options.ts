import { Redacted } from '@svc/core/service'
import type { LiveSourceOptions } from '../sources/source-options.ts'

/** A live source in front of a fake that takes this key, with the defaults of the configuration. */
export function liveSourceOptions(
  key: string,
  changes: Partial<LiveSourceOptions> = {},
): LiveSourceOptions {
  return {
    upstreamUrl: 'http://proxy.test:8317',
    gatewayHealthUrl: 'http://proxy.test:8317/healthz',
    managementKey: new Redacted(key),
    managementKeyFile: null,
    authDir: null,
    quotaTransport: 'api-call',
    quotaOffReason: 'switched_off',
    accountRefreshSeconds: 15,
    upstreamTimeoutSeconds: 10,
    quotaProbeConcurrency: 2,
    quotaProbesPerMinute: 30,
    benchmarkSummary: null,
    usageSource: 'auto',
    clientLabelsFile: null,
    ...changes,
  }
}
