import { type Config, isLoopbackHost } from '@svc/config'
import { type Clock, instantToHttpDate, type Log } from '@svc/core/service'
import {
  createEventRing,
  createPipelineClient,
  encodeJson,
  type PipelineStart,
  type ReadyAnswer,
  type WorkerUrls,
} from '@svc/monitor'
import { createWording, type Language, languageOf } from '@svc/views'
import { compileGuard } from './guards/host-origin-guard.ts'
import { createRefreshAuth, type RefreshAuth } from './guards/refresh-auth.ts'
import { createApp } from './http/app.ts'
import { createEventClients } from './http/event-clients.ts'
import { createHttpServer } from './http/http-server.ts'
import { httpLimits } from './http/listeners.ts'
import { createMetrics } from './metrics/metrics.ts'
import { type Dashboard, loadDashboard } from './routes/dashboard.ts'

/** Inputs of a service: its configuration, its threads and its page. */
export interface StartServerOptions {
  readonly config: Config
  readonly demo: boolean
  readonly version: string
  /** Starts the pipeline, which has its own clock and access to the proxy. */
  readonly startPipeline: PipelineStart
  /** Files of the worker threads for the history. */
  readonly workers: WorkerUrls
  /** Folder of the built dashboard, with a trailing slash. */
  readonly dashboard: URL
  readonly deps: {
    readonly clock: Clock
    /** False for a clock other than the machine's, so that answers need an explicit Date header. */
    readonly isMachineClock: boolean
    readonly log: Log
  }
}

/** Composition root: connects the configuration, the pipeline and the routes that serve what the pipeline publishes. */
export function composeService({
  config,
  demo,
  version,
  startPipeline,
  workers,
  dashboard,
  deps,
}: StartServerOptions) {
  const { clock, log } = deps
  const metrics = createMetrics({ clock, version, seriesMax: config.history.metricsSeriesMax })
  const ring = createEventRing(clock.now())

  const exposedHost = isLoopbackHost(config.server.host) ? null : config.server.host
  const setup = {
    config,
    exposedHost,
    demo,
    version,
    workers: hrefsOf(workers),
  }
  const pipeline = createPipelineClient({
    start: startPipeline,
    setup,
    events: ring,
    metrics,
    clock,
    log,
  })

  const language = languageOf(config.display.displayLanguage)
  const text = createWording(config.display.displayTimezone, language)
  const auth = createRefreshAuth(config.server.manualQuotaRefreshAuth, pipeline, clock)
  const app = createApp({
    ...pipeline,
    openapi: contractOnDemand(),
    history: pipeline,
    refresh: {
      auth,
      elsewhere: pipeline.refreshElsewhere,
      request: pipeline.requestRefresh,
      cancel: pipeline.cancelRefresh,
      text,
      clock,
    },
    dashboard: dashboardIn({ folder: dashboard, auth, language }, log),
    metrics: () => pipeline.gaugesRead().then(metrics.render),
    log,
  })

  const guard = compileGuard(config.server)
  const date = deps.isMachineClock ? null : () => instantToHttpDate(clock.now())
  const http = createHttpServer({
    app,
    events: createEventClients({
      ring,
      noteReader: pipeline.eventsRead,
      onCount: metrics.setEventClients,
      clock,
    }),
    guard,
    limits: httpLimits,
    log,
    monotonicMs: () => clock.monotonicMs(),
    date,
    report: metrics,
    schedulerAsked: pipeline.schedulerAsked,
    onResponse: metrics.onResponse,
  })

  const { prepare, start, reload } = pipeline
  return {
    http,
    /** Resolves once there is a first answer. Accesses nothing outside the process. */
    prepare,
    /** Watches the proxy. */
    start,
    /** Rereads the key, password, client label and benchmark files, ends a hold and watches these proxies if tables list them. Not in demo mode. */
    reload,
    /** Stops everything within 10 s; false if a thread hangs in a system call and keeps running. */
    stop: () => Promise.all([pipeline.stop(), http.stop()]).then(([ended]) => ended),
  }
}

/** URLs as strings, which can be passed to another thread. */
function hrefsOf({ storeWriter, storeReader, storeLeases }: StartServerOptions['workers']) {
  return {
    storeWriter: storeWriter.href,
    storeReader: storeReader.href,
    storeLeases: storeLeases.href,
  }
}

/** Loads the contract and its code on the first request, because few clients need them. */
function contractOnDemand(): () => Promise<ReadyAnswer> {
  let contract: Promise<ReadyAnswer> | null = null
  return () => {
    contract ??= import('@svc/views/openapi').then(({ openApiDocument }) =>
      encodeJson(openApiDocument()),
    )
    // A file that could not be opened now may open next time.
    contract.catch(() => {
      contract = null
    })
    return contract
  }
}

/** The dashboard; null if its files are missing, because the rest of the service works without them. */
function dashboardIn(
  { folder, auth, language }: { folder: URL; auth: RefreshAuth; language: Language },
  log: Log,
): Dashboard | null {
  try {
    return loadDashboard(folder, auth, language)
  } catch {
    log.warn('the dashboard is not there: build it to see it at /')
    return null
  }
}
