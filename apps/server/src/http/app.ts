import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Log } from '@svc/core/service'
import {
  type ErrorSlug,
  errorBodies,
  healthzBody,
  type ReadError,
  statusVersionIn,
} from '@svc/views'
import { Hono } from 'hono'
import {
  type Compression,
  type PayloadReading,
  payloadNames,
  type ReadyAnswer,
  type VersionedName,
} from '../answers/ready-answer.ts'
import { JSON_TYPE, METRICS_TYPE, securityHeaders } from '../answers/response-headers.ts'
import type { CourseAnswers } from '../monitor/course-answers.ts'
import type { CycleAnswers } from '../monitor/cycle-answers.ts'
import type { SeriesAnswers } from '../monitor/series-answers.ts'
import type { UpstreamAnswer, UpstreamReading } from '../monitor/upstream-answers.ts'
import { acceptedCompression } from '../routes/accept-encoding.ts'
import { courseQueryOf } from '../routes/course-query.ts'
import type { Dashboard } from '../routes/dashboard.ts'
import { type QuotaRefreshDeps, quotaRefresh } from '../routes/quota-refresh.ts'
import { readyBytes, withWarnings } from '../routes/ready-bytes.ts'
import { seriesRequestOf } from '../routes/series-query.ts'
import { unknownParameters } from '../routes/unknown-parameters.ts'
import { ReaderBusy } from '../store/store-reader.ts'
import { ChannelError } from '../threads/channel.ts'

export interface AppDeps {
  /** Bytes of the latest snapshot; a promise if they are made for this request. */
  readonly payload: (reading: PayloadReading) => ReadyAnswer | Promise<ReadyAnswer>
  /** Changes since a version of a payload, or the whole payload. */
  readonly changesSince: (
    name: VersionedName,
    version: string,
    compression: Compression,
  ) => ReadyAnswer | Promise<ReadyAnswer>
  /** A payload about one of several proxies, or the names of the proxies that exist. */
  readonly payloadAt: (reading: UpstreamReading) => Promise<UpstreamAnswer>
  readonly openapi: () => Promise<ReadyAnswer>
  readonly series: SeriesAnswers
  readonly courses: CourseAnswers
  readonly cycles: CycleAnswers
  readonly refresh: QuotaRefreshDeps
  /** Null if the dashboard was not built. */
  readonly dashboard: Dashboard | null
  /** Whether accounts were read, or cannot be read for a reason that waiting does not change. */
  readonly isReady: () => boolean
  /** Metrics as text exposition 0.0.4. */
  readonly metrics: () => Promise<string>
  readonly log: Log
}

/** Answered without the app, which would hold back an answer that has no end. */
export const EVENTS_PATH = '/api/v1/events'
const REFRESH_PATH = '/api/v1/quota/refresh'

const ASSETS = '/assets/'
/** Also its metric label: account keys must never be label values. */
const COURSE_ROUTE = '/api/v1/accounts/*/quota'
const COURSE_PATH = /^\/api\/v1\/accounts\/[^/]+\/quota$/

/** Every served path; these are the labels of the request metrics. */
export const routes = [
  '/',
  '/healthz',
  '/readyz',
  '/api/v1/status',
  '/api/v1/recommendations',
  '/api/v1/health',
  '/api/v1/health/history',
  EVENTS_PATH,
  '/api/v1/stats',
  '/api/v1/stats/series',
  '/api/v1/stats/windows',
  COURSE_ROUTE,
  '/api/v1/openapi.json',
  REFRESH_PATH,
  '/metrics',
  '/assets/*',
] as const

/** Retry-After while not ready, in seconds: the account list is requested at once, and again within seconds. */
const READY_RETRY_SECONDS = '5'
const WARNINGS_HEADER = 'X-Svc-Quota-Monitor-Warnings'
const HEALTHZ = JSON.stringify(healthzBody)
const HEALTHZ_HEADERS = {
  ...securityHeaders,
  'Content-Type': JSON_TYPE,
  'Content-Length': String(HEALTHZ.length),
}
const KNOWN_PATHS: ReadonlySet<string> = new Set(routes)

/** The route of a path, which is its metric label; `other` for unknown paths. */
export function routeOf(path: string): string {
  const query = path.indexOf('?')
  const pathname = query < 0 ? path : path.slice(0, query)
  if (KNOWN_PATHS.has(pathname)) return pathname
  if (COURSE_PATH.test(pathname)) return COURSE_ROUTE
  const isAsset =
    pathname.startsWith(ASSETS) &&
    pathname.length > ASSETS.length &&
    !pathname.includes('/', ASSETS.length)
  return isAsset ? '/assets/*' : 'other'
}

/** Bindings that the node server passes with the request. */
interface NodeRequest {
  /** Header names are in lower case, as Node reads them. */
  readonly incoming: IncomingMessage
}

export type App = Hono<{ Bindings: NodeRequest }>

/** Creates the routes. Every answer but a chart, a course and the contract consists of ready bytes; the guard has already checked the request. */
export function createApp(deps: AppDeps): App {
  const app: App = new Hono()
  app.get('/', (c) => deps.dashboard?.page(c.env.incoming.headers) ?? errorResponse('not_found'))
  app.get(
    '/assets/:name',
    (c) =>
      deps.dashboard?.asset(c.req.param('name'), c.env.incoming.headers) ??
      errorResponse('not_found'),
  )
  app.get('/healthz', () => new Response(HEALTHZ, { headers: HEALTHZ_HEADERS }))
  app.get('/readyz', () =>
    deps.isReady()
      ? new Response(HEALTHZ, { headers: HEALTHZ_HEADERS })
      : errorResponse('not_ready', { 'Retry-After': READY_RETRY_SECONDS }),
  )
  for (const payload of payloadNames) {
    app.get(`/api/v1/${payload}`, (c): Response | Promise<Response> => {
      const { headers } = c.env.incoming
      const warnings = payload === 'recommendations' ? rankingWarnings(c.req.url) : []
      const compression =
        warnings.length > 0 ? 'none' : acceptedCompression(headers['accept-encoding'])
      if (payload === 'recommendations' || payload === 'status' || payload === 'health') {
        const upstream = c.req.query('upstream')
        if (upstream !== undefined)
          return deps
            .payloadAt({ upstream, payload, compression })
            .then((found) => upstreamResponse(found, headers, warnings))
      }
      const isVersioned = payload === 'status' || payload === 'health'
      const after = isVersioned ? c.req.query('since') : undefined
      const since = after === undefined ? null : statusVersionIn(after)
      const answer =
        since === null || !isVersioned
          ? deps.payload({ payload, compression })
          : deps.changesSince(payload, since, compression)
      return answer instanceof Promise
        ? answer.then((made) => readyBytes(withWarnings(made, warnings), headers, since))
        : readyBytes(withWarnings(answer, warnings), headers, since)
    })
  }
  app.get('/api/v1/stats/series', async (c) => {
    const request = seriesRequestOf(new URL(c.req.url).searchParams)
    const answer = readyBytes(await deps.series.answer(request), c.env.incoming.headers)
    // CSV has no place for warnings, so a header carries them.
    if (request.format === 'csv' && request.warnings.length > 0)
      answer.headers.set(WARNINGS_HEADER, request.warnings.join(' | '))
    return answer
  })
  app.get('/api/v1/stats/windows', async (c) =>
    readyBytes(await deps.cycles.answer(), c.env.incoming.headers),
  )
  app.get('/api/v1/accounts/:accountKey/quota', async (c) => {
    const parameters = new URL(c.req.url).searchParams
    const query = courseQueryOf(c.req.param('accountKey'), parameters)
    if (query === null) return errorResponse('unknown_range')
    const answer = await deps.courses.answer(query)
    return answer === null
      ? errorResponse('unknown_account')
      : readyBytes(answer, c.env.incoming.headers)
  })
  app.get('/api/v1/health/history', async (c) =>
    readyBytes(await deps.courses.health(), c.env.incoming.headers),
  )
  app.get('/api/v1/openapi.json', async (c) =>
    readyBytes(await deps.openapi(), c.env.incoming.headers),
  )
  app.post(REFRESH_PATH, async (c) => {
    const answer = await quotaRefresh(c.env.incoming, deps.refresh)
    return answer instanceof Response
      ? answer
      : errorResponse(answer.slug, answer.headers, answer.more)
  })
  app.get('/metrics', async () => {
    const text = await deps.metrics()
    return new Response(text, {
      headers: {
        ...securityHeaders,
        'Content-Type': METRICS_TYPE,
        'Content-Length': String(Buffer.byteLength(text)),
      },
    })
  })
  // Used instead of a second handler per path, because Hono answers a path with one handler without an extra promise.
  app.notFound((c) =>
    KNOWN_PATHS.has(routeOf(c.req.path))
      ? errorResponse('method_not_allowed', {
          Allow: c.req.path === REFRESH_PATH ? 'POST' : 'GET, HEAD',
        })
      : errorResponse('not_found'),
  )
  app.onError((error) => {
    // A lost thread is replaced in a moment.
    if (error instanceof ReaderBusy || (error instanceof ChannelError && error.code === 'crashed'))
      return errorResponse('unavailable', { 'Retry-After': '1' })
    deps.log.error('answer failed', { error: error.name })
    return errorResponse('internal')
  })
  return app
}

/** Answer about one proxy, or an error with the names of the existing proxies. */
function upstreamResponse(
  found: UpstreamAnswer,
  headers: IncomingHttpHeaders,
  warnings: readonly string[],
): Response {
  return 'answer' in found
    ? readyBytes(withWarnings(found.answer, warnings), headers)
    : errorResponse('unknown_upstream', {}, { upstreams: found.names })
}

const RANKING_PARAMETERS: ReadonlySet<string> = new Set(['upstream'])

function rankingWarnings(url: string): readonly string[] {
  const query = url.indexOf('?')
  return query < 0
    ? []
    : unknownParameters(new URLSearchParams(url.slice(query)), RANKING_PARAMETERS)
}

/** An error answer: its fixed body, plus further members. */
function errorResponse(
  slug: ErrorSlug,
  headers: Readonly<Record<string, string>> = {},
  more: Pick<ReadError, 'holder'> & { readonly upstreams?: readonly string[] } = {},
): Response {
  const { httpStatus, body } = errorBodies[slug]
  const text = JSON.stringify({ ...body, ...more })
  return new Response(text, {
    status: httpStatus,
    headers: {
      ...securityHeaders,
      'Content-Type': JSON_TYPE,
      'Content-Length': String(Buffer.byteLength(text)),
      ...headers,
    },
  })
}
