import { Redacted } from '@svc/core/service'
import type { CollectorReport } from '../polling/collector-report.ts'
import type { LiveSourceOptions } from '../sources/source-options.ts'

/** Settings a test changes, by group. */
export type ChangedOptions = {
  readonly [Group in keyof LiveSourceOptions]?: Partial<LiveSourceOptions[Group]>
}

/** Options of a live source for a fake that accepts this key, otherwise with the default configuration. */
export function liveSourceOptions(key: string, changes: ChangedOptions = {}): LiveSourceOptions {
  return {
    upstream: {
      upstreamUrl: 'http://proxy.test:8317',
      gatewayHealthUrl: 'http://proxy.test:8317/healthz',
      upstreamUiUrl: 'http://proxy.test:8317/management.html',
      managementKey: new Redacted(key),
      managementKeyFile: null,
      refreshSeconds: 15,
      upstreamTimeoutSeconds: 10,
      ...changes.upstream,
    },
    quota: {
      authDir: null,
      quotaTransport: 'api-call',
      quotaProbeConcurrency: 2,
      quotaProbesPerMinute: 30,
      quotaProbeProviders: ['codex', 'claude', 'xai', 'kimi'],
      ...changes.quota,
    },
    usage: { usageSource: 'auto', clientLabelsFile: null, ...changes.usage },
    benchmark: { benchmarkSummary: null, ...changes.benchmark },
  }
}

/** Notes each count as the name of its counter and the values of its labels. */
export function reportInto(noted: string[]): CollectorReport {
  return {
    count: ({ counter, ...labels }) =>
      void noted.push([counter, ...Object.values(labels)].join(' ')),
    timeListRead: () => undefined,
    setUsageWait: () => undefined,
  }
}
