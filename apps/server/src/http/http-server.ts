import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Log, SchedulerQuestion } from '@svc/core/service'
import type { GuardReason, Report } from '@svc/monitor'
import { JSON_TYPE, securityHeaders } from '@svc/monitor'
import { type ErrorSlug, errorBodies } from '@svc/views'
import type { Guard } from '../guards/host-origin-guard.ts'
import { schedulerQuestionOf } from '../routes/account-query.ts'
import { type App, EVENTS_PATH, routeOf } from './app.ts'
import type { EventClients } from './event-clients.ts'
import { createListeners, type HttpLimits } from './listeners.ts'
import { createRunningAnswers, type Exchange } from './running-answers.ts'

export interface HttpServerDeps {
  readonly app: App
  readonly events: EventClients
  readonly guard: Guard
  readonly limits: HttpLimits
  readonly log: Log
  readonly monotonicMs: () => number
  /** Value of the Date header; null lets Node set it. */
  readonly date: (() => string) | null
  /** `route`: one of the served paths or `other`. */
  readonly onResponse: (route: string, status: number, seconds: number) => void
  readonly report: Pick<Report, 'count'>
  readonly schedulerAsked: (question: SchedulerQuestion) => void
}

/** Characters of a refused value that a log line shows. */
const SUBJECT_LENGTH_SHOWN = 64

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
/** Retry delay in seconds; a place becomes free when another client closes its page. */
const EVENTS_RETRY = { 'Retry-After': '15' }

/** Creates the HTTP shell: limits, framing errors, guard, then the app. */
export function createHttpServer(deps: HttpServerDeps) {
  const { limits } = deps
  const handle: RequestListener = getRequestListener(deps.app.fetch)
  const answers = createRunningAnswers({ ...deps, answerMs: limits.answerMs })
  let stopping = false

  const onRequest = (request: IncomingMessage, answer: ServerResponse) => {
    const exchange = answers.begin(request)
    respond(request, answer, exchange)
    answers.follow(answer, exchange)
  }

  const respond = (request: IncomingMessage, answer: ServerResponse, exchange: Exchange) => {
    if (deps.date !== null) answer.setHeader('Date', deps.date())
    if (announcesBody(request)) answer.shouldKeepAlive = false
    if (stopping) return endWithError(answer, 'shutting_down')

    const url = request.url ?? ''
    const judgement = deps.guard({
      rawHeaders: request.rawHeaders,
      method: request.method ?? '',
      url,
      localAddress: request.socket.localAddress,
    })
    if (!judgement.allowed) {
      deps.report.count({ counter: 'http_guard_denied_total', reason: judgement.reason })
      const hint =
        judgement.reason === 'host' ? 'add --allowed-host NAME if this is your host name' : null
      deps.log.warn('request refused', {
        reason: judgement.reason,
        value: judgement.subject.slice(0, SUBJECT_LENGTH_SHOWN),
        hint,
      })
      const question =
        judgement.reason === 'host' ? schedulerQuestionOf(request.headers, url) : null
      if (question !== null) deps.schedulerAsked({ ...question, refusal: 'host' })
      return endWithError(answer, SLUG_BY_REASON[judgement.reason])
    }
    if (url.length > limits.urlLength) return endWithError(answer, 'uri_too_long')

    request.url = judgement.path
    // The adapter compares Host with its own spelling and would refuse hosts that the guard has allowed.
    request.headers.host = 'localhost'
    exchange.route = routeOf(judgement.path)
    if (exchange.route === EVENTS_PATH && READS.has(request.method ?? '')) {
      exchange.isStream = deps.events.open(request, answer)
      if (!exchange.isStream) endWithError(answer, 'too_many_followers', EVENTS_RETRY)
      return
    }
    void handle(request, answer)
  }

  const listeners = createListeners({ ...deps, onRequest })
  return {
    /** Listens and resolves with the address to open. Rejects with StartError. */
    async listen(host: string, port: number): Promise<string> {
      try {
        return await listeners.listen(host, port)
      } catch (error) {
        answers.stop()
        throw error
      }
    },
    /** Refuses new requests, lets running answers end, then closes every connection. Safe to call twice. */
    async stop() {
      stopping = true
      answers.stop()
      deps.events.close()
      await listeners.close()
    },
  }
}

export type HttpServer = ReturnType<typeof createHttpServer>

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function endWithError(
  answer: ServerResponse,
  slug: ErrorSlug,
  headers: Readonly<Record<string, string>> = {},
): void {
  const { httpStatus, body } = errorBodies[slug]
  const text = JSON.stringify(body)
  answer.writeHead(httpStatus, {
    ...securityHeaders,
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
    ...headers,
  })
  answer.end(text)
}

/** Error slug for each refusal of the guard. */
const SLUG_BY_REASON: Readonly<Record<GuardReason, ErrorSlug>> = {
  host_count: 'invalid_request',
  host_syntax: 'invalid_request',
  target: 'invalid_target',
  target_authority: 'invalid_authority',
  host: 'forbidden',
  origin_syntax: 'forbidden_origin_kind',
  origin: 'forbidden_origin',
  fetch_metadata: 'forbidden_site',
}
