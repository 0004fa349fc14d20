import {
  createFleetSource,
  createLiveSource,
  type FleetSource,
  type LiveSource,
} from '@svc/collector'
import { keyOriginOf } from '@svc/collector/settings'
import type { Config, Upstream } from '@svc/config'
import { DEFAULT_UPSTREAM, type Log, type UpstreamName } from '@svc/core/service'
import type { UsageMeasures, UsageReading } from '@svc/core/usage'
import { languageOf } from '@svc/views'
import type { TrustedClock } from '../clock/trusted-clock.ts'
import { datedByOurClock } from '../clock/usage-clock.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import { createHistory, type History } from '../store/history.ts'
import { handOutOnce, type ObservedPool } from './observed-pool.ts'
import { reportAbout } from './outlet.ts'
import type { PipelineDeps, PipelineSetup } from './pipeline-api.ts'

interface LivePoolDeps extends PipelineDeps {
  readonly report: Report
  readonly trustedClock: TrustedClock
  readonly log: Log
}

/** The same, with where is counted what is of one proxy. */
interface LivePartDeps extends LivePoolDeps {
  readonly reportOf: (upstream: UpstreamName) => UpstreamReport
}

/** The pool behind the configured proxies, with its history where one is kept. */
export function createLivePool(
  { config, workers }: Pick<PipelineSetup, 'config' | 'workers'>,
  deps: LivePoolDeps,
): ObservedPool {
  const { clock, trustedClock } = deps
  let watchedCount = config.fleet.upstreams.length
  const reportOf = (name: UpstreamName) => reportAbout(deps.report, name, () => watchedCount > 1)
  const history = createConfiguredHistory(config, workers, { ...deps, reportOf })
  const source = createConfiguredSource(config, history, { ...deps, reportOf })
  const reload = (upstreams: readonly Upstream[]) => {
    history?.retry()
    if (upstreams.length > 0) watchedCount = upstreams.length
    if ('useUpstreams' in source && upstreams.length > 0) source.useUpstreams(upstreams)
    else source.reload()
  }
  return {
    source,
    refresher: source.refresher,
    history,
    recorded:
      history === null
        ? null
        : {
            summaries: datedByOurClock(history.reader, clock),
            chart: history.reader.chart,
            accountCourse: history.reader.course,
          },
    serviceAt: (_, reading) => ({
      history: history?.state() ?? { kind: 'off' },
      recentUsage: recentUsageOf(reading),
      clockDoubt: trustedClock.read().doubt,
    }),
    takeRecorded: history?.takeRecorded ?? handOutOnce([]),
    courseUntil: () => null,
    restore: source.restore,
    reload,
  }
}

/** Null where the configuration names nothing to keep it in. */
function createConfiguredHistory(
  { history: settings, display }: Config,
  workers: PipelineSetup['workers'],
  { report, reportOf, clock, trustedClock, log }: LivePartDeps,
): History | null {
  const { stateDb, stateDbPasswordFile, stateDbReplica } = settings
  if (stateDb === null) return null
  const urls = {
    storeWriter: new URL(workers.storeWriter),
    storeReader: new URL(workers.storeReader),
  }
  return createHistory({
    settings,
    place: { location: stateDb, passwordFile: stateDbPasswordFile, replica: stateDbReplica },
    language: languageOf(display.displayLanguage),
    workers: urls,
    report,
    reportOf,
    clock,
    trustedClock,
    log,
  })
}

/** The proxies, watched as the configuration says. */
function createConfiguredSource(
  config: Config,
  history: History | null,
  { clock, random, fetch, report, reportOf, trustedClock, log }: LivePartDeps,
): LiveSource | FleetSource {
  const deps = {
    clock,
    random,
    fetch,
    log,
    report,
    onProxyTime: trustedClock.proxySaid,
  }
  const { upstreams } = config.fleet
  const usageSinkOf = (name: UpstreamName) => history?.sinkOf(name) ?? null
  if (upstreams.length > 0)
    return createFleetSource({ ...config, upstreams }, { ...deps, reportOf, usageSinkOf })
  if (keyOriginOf(config.upstream) === 'none')
    log.warn('no management key: set management_key_file to the file that holds it')
  return createLiveSource(config, { ...deps, usageSink: usageSinkOf(DEFAULT_UPSTREAM) })
}

/** Who has sent requests lately, by account key. */
function recentUsageOf(reading: UsageReading): ReadonlyMap<string, UsageMeasures> {
  return new Map(
    reading.kind === 'read' ? reading.summary.live.accounts.map((row) => [row.id, row]) : [],
  )
}
