import { createLiveSource, type LiveSource } from '@svc/collector'
import { keyOriginOf } from '@svc/collector/settings'
import type { Config } from '@svc/config'
import type { Log } from '@svc/core/service'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import type { Report } from '../metrics/event-counters.ts'
import type { History } from '../store/history.ts'
import type { PipelineDeps } from './pipeline-api.ts'

interface SourceParts {
  readonly report: Report
  readonly history: History | null
  readonly trustedClock: TrustedClock
  readonly log: Log
}

/** The proxy, watched as the configuration says. */
export function createConfiguredSource(
  config: Config,
  { report, history, trustedClock, log }: SourceParts,
  { clock, random, fetch }: PipelineDeps,
): LiveSource {
  if (keyOriginOf(config.upstream) === 'none')
    log.warn('no management key: set management_key_file to the file that holds it')
  return createLiveSource(config, {
    clock,
    random,
    fetch,
    log,
    report,
    usageSink: history?.sink ?? null,
    onProxyTime: trustedClock.proxySaid,
  })
}
