import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  connectResp,
  createFleetSource,
  createLiveSource,
  createOwnSecrets,
  type FleetSource,
  type LiveSource,
  noAskedStore,
  type OwnSecrets,
} from '@svc/collector'
import { keyOriginOf } from '@svc/collector/settings'
import { type Config, isDatabaseAddress, type Upstream } from '@svc/config'
import {
  DEFAULT_UPSTREAM,
  type Leases,
  type Log,
  Redacted,
  soleDuty,
  type UpstreamName,
} from '@svc/core/service'
import type { UsageMeasures, UsageReading } from '@svc/core/usage'
import { readSecretFile } from '@svc/secret-files'
import { languageOf } from '@svc/views'
import { datedByOurClock, type TrustedClock } from '../clock/trusted-clock.ts'
import { createStoreLeases, holderNameOf } from '../leases/store-leases.ts'
import type { Report, UpstreamReport } from '../metrics/event-counters.ts'
import { createHistory, type History, isHeldElsewhere } from '../store/history.ts'
import type { StorePlace } from '../store/store-threads.ts'
import { handOutOnce, type ObservedPool } from './observed-pool.ts'
import type { PipelineDeps, PipelineSetup } from './pipeline-api.ts'
import { reportAbout } from './pipeline-events.ts'

interface LivePoolDeps extends PipelineDeps {
  readonly report: Report
  readonly trustedClock: TrustedClock
  readonly log: Log
}

/** Dependencies of the pool, with the counters of each proxy. */
interface LivePartDeps extends LivePoolDeps {
  readonly reportOf: (upstream: UpstreamName) => UpstreamReport
  readonly ownSecrets: OwnSecrets
}

/** The pool behind the configured proxies, with its history if one is kept. */
export function createLivePool(
  { config, workers }: Pick<PipelineSetup, 'config' | 'workers'>,
  deps: LivePoolDeps,
): ObservedPool {
  const { clock, trustedClock } = deps
  const isListed = config.fleet.upstreams.length > 0
  const reportOf = (name: UpstreamName) => (isListed ? reportAbout(deps.report, name) : deps.report)
  const ownSecrets = createOwnSecrets()
  ownSecrets.learn(storePasswordOf(config.history))
  const partDeps = { ...deps, reportOf, ownSecrets }
  const history = createConfiguredHistory(config, workers, partDeps)
  const source = createConfiguredSource(config, history, partDeps)
  const reload = (upstreams: readonly Upstream[]) => {
    ownSecrets.learn(storePasswordOf(config.history))
    history?.retry()
    if (upstreams.length > 0) history?.shared?.use(upstreams.map(({ name }) => name))
    if ('useUpstreams' in source && upstreams.length > 0) source.useUpstreams(upstreams)
    else source.reload()
  }
  return {
    source,
    refresher: source.refresher,
    history,
    recorded:
      history === null ? null : { ...history.reader, ...datedByOurClock(history.reader, clock) },
    serviceAt: (_, reading) => ({
      history: history?.state() ?? { kind: 'off' },
      recentUsage: recentUsageOf(reading),
      clockDoubt: trustedClock.read().doubt,
      ...(history?.shared == null ? {} : { leases: history.shared.standing() }),
    }),
    takeRecorded: history?.takeRecorded ?? handOutOnce([]),
    courseUntil: () => null,
    restore: source.restore,
    adopt: source.adopt,
    useAsked: source.useAsked,
    askedElsewhere(upstreams) {
      if (history !== null && isHeldElsewhere(history.state()))
        return { status: 'standby', holder: null }
      const leases = (history?.shared?.standing() ?? []).filter(
        ({ upstream }) => upstreams?.includes(upstream) ?? true,
      )
      if (leases.length === 0 || leases.some(({ isOurs }) => isOurs)) return null
      return {
        status: 'standby',
        holder: leases.find(({ holder }) => holder !== null)?.holder ?? null,
      }
    },
    reload,
  }
}

/** Null if the configuration names no store. */
function createConfiguredHistory(
  config: Config,
  workers: PipelineSetup['workers'],
  deps: LivePartDeps,
): History | null {
  const { history: settings, display } = config
  const { stateDb, stateDbPasswordFile, stateDbReplica } = settings
  if (stateDb === null) return null
  const urls = {
    storeWriter: new URL(workers.storeWriter),
    storeReader: new URL(workers.storeReader),
    storeLeases: new URL(workers.storeLeases),
  }
  const place = { location: stateDb, passwordFile: stateDbPasswordFile, replica: stateDbReplica }
  const language = languageOf(display.displayLanguage)
  const leases = isDatabaseAddress(stateDb) ? leasesIn(place, urls.storeLeases, config, deps) : null
  const history = createHistory({ ...deps, settings, place, language, workers: urls, leases })
  const names = config.fleet.upstreams.map(({ name }) => name)
  history.shared?.use(names.length > 0 ? names : [DEFAULT_UPSTREAM])
  return history
}

/** Password of the history database; null if there is no database, or if the password file is refused, which the store reports. */
async function storePasswordOf({
  stateDb,
  stateDbPasswordFile,
}: Config['history']): Promise<Redacted | null> {
  if (stateDb === null || !isDatabaseAddress(stateDb)) return null
  if (stateDbPasswordFile === null) return new Redacted(process.env.PGPASSWORD ?? '')
  const reading = await readSecretFile(stateDbPasswordFile)
  return reading.kind === 'text' ? new Redacted(reading.text) : null
}

/** Several monitors may have a database open, so it is shared from the start. */
function leasesIn(
  { location, passwordFile }: StorePlace,
  workerUrl: URL,
  { server }: Config,
  { clock, log }: LivePoolDeps,
): Leases {
  const holder = holderNameOf(`${hostname()}:${server.port}`, randomUUID())
  return createStoreLeases({ setup: { location, passwordFile, holder }, workerUrl, clock, log })
}

/** Creates the source that watches the configured proxies. */
function createConfiguredSource(
  config: Config,
  history: History | null,
  { clock, random, fetch, report, reportOf, trustedClock, ownSecrets, log }: LivePartDeps,
): LiveSource | FleetSource {
  const deps = {
    clock,
    random,
    fetch,
    connectResp,
    log,
    report,
    ownSecrets,
    onProxyTime: trustedClock.proxySaid,
  }
  const { upstreams } = config.fleet
  const usageSinkOf = (name: UpstreamName) => history?.sinkOf(name) ?? null
  const dutyOf = (name: UpstreamName) => history?.dutyOf(name) ?? soleDuty
  const askedOf = (name: UpstreamName) => history?.askedOf(name) ?? noAskedStore
  if (upstreams.length > 0)
    return createFleetSource(
      { ...config, upstreams },
      { ...deps, reportOf, usageSinkOf, dutyOf, askedOf },
    )
  if (keyOriginOf(config.upstream) === 'none')
    log.warn('no management key: set management_key_file to the file that holds it')
  return createLiveSource(config, {
    ...deps,
    usageSink: usageSinkOf(DEFAULT_UPSTREAM),
    duty: dutyOf(DEFAULT_UPSTREAM),
    asked: askedOf(DEFAULT_UPSTREAM),
  })
}

/** Accounts with recent requests, by account key. */
function recentUsageOf(reading: UsageReading): ReadonlyMap<string, UsageMeasures> {
  return new Map(
    reading.kind === 'read' ? reading.summary.live.accounts.map((row) => [row.id, row]) : [],
  )
}
