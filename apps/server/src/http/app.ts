import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { errorPlace, type Log } from '@svc/core/service'
import type {
  FilteredPayload,
  HistoryAnswers,
  PipelineClient,
  ReadyAnswer,
  Refusal,
} from '@svc/monitor'
import {
  ChannelError,
  JSON_TYPE,
  METRICS_TYPE,
  payloadNames,
  ReaderBusy,
  securityHeaders,
  WARNINGS_HEADER,
} from '@svc/monitor'
import {
  type ErrorSlug,
  errorBodies,
  healthzBody,
  questionPartOf,
  type ReadError,
} from '@svc/views'
import { Hono } from 'hono'
import {
  courseQueryOf,
  invalidParameter,
  partFilterOf,
  pickFor,
  pickQueryOf,
  providersIn,
  rankingQueryOf,
  schedulerQuestionOf,
  unknownParameters,
} from '../routes/account-query.ts'
import type { Dashboard } from '../routes/dashboard.ts'
import { type QuotaRefreshDeps, quotaRefresh } from '../routes/quota-refresh.ts'
import { acceptedCompression, readyBytes, withWarnings } from '../routes/ready-bytes.ts'
import { seriesRequestOf } from '../routes/series-query.ts'
import { createUsageRows } from '../routes/usage-rows.ts'

/** Pipeline calls that the routes use. */
type Pipeline = Pick<
  PipelineClient,
  'payload' | 'payloadAt' | 'pick' | 'schedulerAsked' | 'calendar' | 'unready'
>

export interface AppDeps extends Pipeline {
  readonly openapi: () => Promise<ReadyAnswer>
  readonly history: HistoryAnswers
  readonly refresh: QuotaRefreshDeps
  /** Null if the dashboard was not built. */
  readonly dashboard: Dashboard | null
  /** Metrics as text exposition 0.0.4. */
  readonly metrics: () => Promise<string>
  readonly log: Log
}

/** Served outside the app, which would hold back an endless answer. */
export const EVENTS_PATH = '/api/v1/events'
const REFRESH_PATH = '/api/v1/quota/refresh'
const PICK_PATH = '/api/v1/pick'

const WINDOWS_PARAMETERS: ReadonlySet<string> = new Set(['account', 'provider', 'from', 'to'])
const ROWS_PATH = '/api/v1/usage/rows'
/** Paths whose answers are streamed at the pace of the client. */
export const streamedRoutes: ReadonlySet<string> = new Set([ROWS_PATH])

const ASSETS = '/assets/'
/** Routes without the account key; also metric labels, which must never contain account keys. */
const ACCOUNT_ROUTE = '/api/v1/accounts/*'
const COURSE_ROUTE = '/api/v1/accounts/*/quota'
const ACCOUNT_PATH = /^\/api\/v1\/accounts\/[^/]+(?<quota>\/quota)?$/

/** Every served path; these are the labels of the request metrics. */
export const routes = [
  '/',
  '/healthz',
  '/readyz',
  '/api/v1/status',
  '/api/v1/recommendations',
  '/api/v1/capacity',
  PICK_PATH,
  '/api/v1/health',
  '/api/v1/health/history',
  '/api/v1/usage/failures',
  '/api/v1/prices',
  EVENTS_PATH,
  '/api/v1/stats',
  '/api/v1/stats/series',
  '/api/v1/stats/windows',
  ACCOUNT_ROUTE,
  ROWS_PATH,
  COURSE_ROUTE,
  '/api/v1/resets.ics',
  '/api/v1/openapi.json',
  REFRESH_PATH,
  '/metrics',
  '/assets/*',
] as const

/** Retry-After in seconds while not ready: the account list is requested at once and retried within seconds. */
const READY_RETRY_SECONDS = '5'
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
  const pathname = decoded(query < 0 ? path : path.slice(0, query))
  if (KNOWN_PATHS.has(pathname)) return pathname
  const account = ACCOUNT_PATH.exec(pathname)
  if (account !== null) return account.groups?.quota === undefined ? ACCOUNT_ROUTE : COURSE_ROUTE
  const isAsset =
    pathname.startsWith(ASSETS) &&
    pathname.length > ASSETS.length &&
    !pathname.includes('/', ASSETS.length)
  return isAsset ? '/assets/*' : 'other'
}

/** Decodes a path as the router does: `%65` becomes `e`, `%2F` stays. */
function decoded(pathname: string): string {
  try {
    return pathname.includes('%') ? decodeURI(pathname) : pathname
  } catch {
    return pathname
  }
}

/** Bindings that the node server passes with the request. */
interface NodeRequest {
  /** Header names are in lower case, as Node reads them. */
  readonly incoming: IncomingMessage
}

export type App = Hono<{ Bindings: NodeRequest }>

/** Creates the routes. Every answer is pre-encoded, except charts, courses, downloads and the contract. The guard has already checked the request. */
export function createApp(deps: AppDeps): App {
  const app: App = new Hono()
  /** The ranking, or the part of it that the query asks for. */
  const rankingResponse = async (url: string, headers: IncomingHttpHeaders): Promise<Response> => {
    const asked = rankingQueryOf(new URL(url).searchParams)
    if ('unknown' in asked) return partResponse(asked)
    const question = schedulerQuestionOf(headers, url)
    const { query, warnings } = asked
    const compression =
      warnings.length > 0 ? 'none' : acceptedCompression(headers['accept-encoding'])
    const reading = { payload: 'recommendations', compression } as const
    const { filter, ...cut } = query
    const found: FilteredPayload =
      filter === undefined
        ? { answer: await deps.payload(reading) }
        : await deps.payloadAt({ ...reading, filter, ...cut })
    const isUnknown = 'unknown' in found && found.unknown.parameter === 'upstream'
    if (question !== null && ('answer' in found || isUnknown))
      deps.schedulerAsked({ ...question, refusal: isUnknown ? 'upstream' : null })
    return partResponse(found, headers, warnings)
  }
  app.get('/', (c) => deps.dashboard?.page(c.env.incoming.headers) ?? errorResponse('not_found'))
  app.get(
    '/assets/:name',
    (c) =>
      deps.dashboard?.asset(c.req.param('name'), c.env.incoming.headers) ??
      errorResponse('not_found'),
  )
  app.get('/healthz', () => new Response(HEALTHZ, { headers: HEALTHZ_HEADERS }))
  app.get('/readyz', () => {
    const unready = deps.unready()
    return unready === null
      ? new Response(HEALTHZ, { headers: HEALTHZ_HEADERS })
      : errorResponse(unready, { 'Retry-After': READY_RETRY_SECONDS })
  })
  for (const payload of payloadNames) {
    app.get(`/api/v1/${payload}`, (c): Response | Promise<Response> => {
      const { headers } = c.env.incoming
      const compression = acceptedCompression(headers['accept-encoding'])
      if (payload === 'recommendations' && c.req.url.includes('?'))
        return rankingResponse(c.req.url, headers)
      if (payload === 'status' || payload === 'health') {
        const filter = partFilterOf(new URL(c.req.url).searchParams)
        if (filter !== null)
          return deps
            .payloadAt({ payload, compression, filter })
            .then((found) => partResponse(found, headers))
      }
      const answer = deps.payload({ payload, compression })
      return answer instanceof Promise
        ? answer.then((made) => readyBytes(made, headers))
        : readyBytes(answer, headers)
    })
  }
  app.get('/api/v1/capacity', async (c) => {
    const { headers } = c.env.incoming
    const asked = rankingQueryOf(new URL(c.req.url).searchParams)
    if ('unknown' in asked) return partResponse(asked)
    const compression = acceptedCompression(headers['accept-encoding'])
    const { filter = {} } = asked.query
    return partResponse(await deps.payloadAt({ payload: 'capacity', compression, filter }), headers)
  })
  app.get(PICK_PATH, async (c) => {
    const { query, warnings } = pickQueryOf(new URL(c.req.url).searchParams)
    return partResponse(await deps.pick(query), c.env.incoming.headers, warnings)
  })
  app.post(PICK_PATH, async (c) => {
    const found = await pickFor(c.env.incoming, deps.pick)
    if (typeof found === 'string') return errorResponse(found)
    const answer = partResponse(found)
    // What a caller was given is no state of a resource.
    answer.headers.delete('ETag')
    return answer
  })
  app.get('/api/v1/stats/series', async (c) => {
    const request = seriesRequestOf(new URL(c.req.url).searchParams, deps.refresh.text)
    if ('refusal' in request) return partResponse(request)
    const answer = partResponse(await deps.history.chart(request), c.env.incoming.headers)
    // CSV has no place for warnings, so a header carries them.
    if (request.format === 'csv' && request.warnings.length > 0)
      answer.headers.set(WARNINGS_HEADER, request.warnings.join(' | '))
    return answer
  })
  app.get('/api/v1/usage/failures', async (c) => {
    const part = questionPartOf(new URL(c.req.url).searchParams, deps.refresh.text)
    if ('invalid' in part) return partResponse(invalidParameter(part))
    // Causes are not counted by client and model.
    const { client: _client, model: _model, result: _result, ...filter } = part.filter
    const answer = await deps.history.failures({ filter, between: part.between })
    return partResponse(answer, c.env.incoming.headers)
  })
  app.get('/api/v1/stats/windows', async (c) => {
    const parameters = new URL(c.req.url).searchParams
    const part = questionPartOf(parameters, deps.refresh.text)
    if ('invalid' in part) return partResponse(invalidParameter(part))
    const warnings = unknownParameters(parameters, WINDOWS_PARAMETERS)
    const asked = { ...part, providers: providersIn(parameters), warnings }
    return partResponse(await deps.history.cycles(asked), c.env.incoming.headers)
  })
  for (const [path, answer] of [
    ['/api/v1/health/history', deps.history.healthHistory],
    ['/api/v1/prices', deps.history.prices],
    ['/api/v1/resets.ics', deps.calendar],
    ['/api/v1/openapi.json', deps.openapi],
  ] as const)
    app.get(path, async (c) => readyBytes(await answer(), c.env.incoming.headers))
  for (const [path, answer] of [
    ['/api/v1/accounts/:accountKey', deps.history.account],
    ['/api/v1/accounts/:accountKey/quota', deps.history.course],
  ] as const)
    app.get(path, async (c) => {
      const parameters = new URL(c.req.url).searchParams
      const query = courseQueryOf(c.req.param('accountKey'), parameters)
      if (query === null) return errorResponse('unknown_range')
      const made = await answer(query)
      return made === null
        ? errorResponse('unknown_account')
        : readyBytes(made, c.env.incoming.headers)
    })
  const usageRows = createUsageRows(deps.history.rows, deps.refresh.text)
  app.get(ROWS_PATH, async (c) => {
    const answer = await usageRows({
      method: c.req.method,
      parameters: new URL(c.req.url).searchParams,
      cutOff(error) {
        deps.log.warn('download cut off', { error: errorPlace(error) })
        c.env.incoming.socket.destroy()
      },
    })
    if ('unknown' in answer || 'refusal' in answer) return partResponse(answer)
    return answer instanceof Response ? answer : errorResponse(answer.slug, answer.headers)
  })
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
          Allow: allowedMethods[c.req.path] ?? 'GET, HEAD',
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

/** Allowed methods of each path that differs from GET and HEAD. */
const allowedMethods: Readonly<Record<string, string>> = {
  [REFRESH_PATH]: 'POST',
  [PICK_PATH]: 'GET, HEAD, POST',
}

/** Answer for part of the pool, or an error that lists the valid values. */
function partResponse(
  found: FilteredPayload | Refusal,
  headers: IncomingHttpHeaders = {},
  warnings: readonly string[] = [],
): Response {
  if ('refusal' in found) return errorResponse(found.refusal.slug, {}, found.refusal.details)
  if ('answer' in found) return readyBytes(withWarnings(found.answer, warnings), headers)
  const { parameter } = found.unknown
  const allowed = [...found.unknown.allowed]
  if (parameter === 'upstream')
    return errorResponse('unknown_upstream', {}, { upstreams: allowed, parameter, allowed })
  const error = `The parameter ${parameter} takes ${allowed.join(', ')}.`
  return errorResponse('unknown_value', {}, { error, parameter, allowed })
}

/** Error answer with the fixed body of its slug; further members extend or override it. */
function errorResponse(
  slug: ErrorSlug,
  headers: Readonly<Record<string, string>> = {},
  more: Partial<ReadError> = {},
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
