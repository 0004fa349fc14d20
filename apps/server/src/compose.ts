import { type Config, isLoopbackHost, type Upstream } from '@svc/config'
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
import { createHttpServer, type HttpServer } from './http/http-server.ts'
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
    /** Whether Node dates its answers by this same clock; otherwise the answers are dated by this clock explicitly. */
    readonly isMachineClock: boolean
    readonly log: Log
  }
}

interface Service {
  readonly http: HttpServer
  /** Resolves once there is a first answer. Accesses nothing outside the process. */
  readonly prepare: () => Promise<void>
  /** Watches the proxy. */
  readonly start: () => void
  /** Reads key, password, client labels and benchmark files again, ends a hold, and watches these proxies if tables list them. Not in demo. */
  readonly reload: (upstreams: readonly Upstream[]) => void
  /** Ends everything within 10 s. False if a thread hangs in a system call and so outlives it. */
  readonly stop: () => Promise<boolean>
}

/** The composition root: configuration, then the pipeline, then the routes that answer from its publications. */
export function composeService({
  config,
  demo,
  version,
  startPipeline,
  workers,
  dashboard,
  deps,
}: StartServerOptions): Service {
  const { clock, log } = deps
  const metrics = createMetrics({ clock, version })
  const ring = createEventRing(clock.now())

  const exposedHost = isLoopbackHost(config.server.host) ? null : config.server.host
  const setup = {
    config,
    exposedHost,
    demo,
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
    prepare,
    start,
    reload,
    stop: () => Promise.all([pipeline.stop(), http.stop()]).then(([ended]) => ended),
  }
}

/** Addresses that can be copied to another thread. */
function hrefsOf({ storeWriter, storeReader, storeLeases }: StartServerOptions['workers']) {
  return {
    storeWriter: storeWriter.href,
    storeReader: storeReader.href,
    storeLeases: storeLeases.href,
  }
}

/** Made on demand: few clients need it, so neither the contract nor its code is loaded before. */
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

/** The dashboard; null without its files, because everything else works without them. */
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
