import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { isIP, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Log } from '@svc/core/service'
import { type ErrorSlug, errorBodies } from '@svc/views'
import { JSON_TYPE, securityHeaders } from '../answers/response-headers.ts'
import type { Guard, GuardReason } from '../guards/host-origin-guard.ts'
import { type App, routeOf } from './app.ts'
import { StartError } from './start-error.ts'

/** What one client may take up. See docs/limits.md#what-a-client-may-take-up. */
export interface HttpLimits {
  readonly urlLength: number
  readonly headerBytes: number
  readonly headerMs: number
  readonly requestMs: number
  /** Longest time to take an answer that is ready. */
  readonly answerMs: number
  readonly keepAliveMs: number
  readonly connections: number
  /** Longest wait for running answers when stopping. */
  readonly stopMs: number
}

export const httpLimits: HttpLimits = {
  urlLength: 4096,
  headerBytes: 16 * 1024,
  headerMs: 10_000,
  requestMs: 30_000,
  answerMs: 30_000,
  keepAliveMs: 5_000,
  connections: 1024,
  stopMs: 5_000,
}

export interface HttpServerDeps {
  readonly app: App
  readonly guard: Guard
  readonly limits: HttpLimits
  readonly log: Log
  readonly monotonicMs: () => number
  /** What the Date header says; null leaves it to Node. */
  readonly date: (() => string) | null
  readonly onDenied: (reason: GuardReason) => void
  /** `route` is one of the served paths or `other`. */
  readonly onResponse: (route: string, status: number, seconds: number) => void
  /** A connection was closed unread, because there are as many as there may be. */
  readonly onConnectionRefused: () => void
}

export interface HttpServer {
  /** Listens and resolves with the address to open. Rejects with StartError. */
  listen(host: string, port: number): Promise<string>
  /** Refuses what is new, lets running answers end, then closes every connection. Safe to call twice. */
  stop(): Promise<void>
}

/** A request under way. */
interface Exchange {
  readonly startedMs: number
  readonly socket: Socket
  route: string
}

/** How much of a refused value a log line shows. */
const SUBJECT_LENGTH_SHOWN = 64
const SWEEP_INTERVAL_MS = 1_000
/** How long a connection outlives the answer that ended it. */
const LINGER_MS = 1_000

/** The HTTP shell: limits, framing errors, guard, then the app. */
export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const { limits } = deps
  const handle: RequestListener = getRequestListener(deps.app.fetch)
  const answering = new Map<ServerResponse, Exchange>()
  const servers: Server[] = []
  let stopping = false

  const count = ({ statusCode }: ServerResponse, { route, startedMs }: Exchange) =>
    deps.onResponse(route, statusCode, (deps.monotonicMs() - startedMs) / 1000)

  /** One function for all answers, so that none has a listener made for it. */
  function onAnswered(this: ServerResponse) {
    const exchange = answering.get(this)
    if (exchange === undefined) return
    answering.delete(this)
    count(this, exchange)
  }

  const onRequest = (request: IncomingMessage, answer: ServerResponse) => {
    const exchange = { startedMs: deps.monotonicMs(), socket: request.socket, route: 'other' }
    respond(request, answer, exchange)
    // The system has taken most answers by now.
    if (answer.writableFinished) return count(answer, exchange)
    answering.set(answer, exchange)
    answer.on('close', onAnswered)
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
      deps.onDenied(judgement.reason)
      const hint =
        judgement.reason === 'host' ? 'add --allowed-host NAME if this is your host name' : null
      deps.log.warn('request refused', {
        reason: judgement.reason,
        value: judgement.subject.slice(0, SUBJECT_LENGTH_SHOWN),
        hint,
      })
      return endWithError(answer, SLUG_BY_REASON[judgement.reason])
    }
    if (url.length > limits.urlLength) return endWithError(answer, 'uri_too_long')

    request.url = judgement.path
    // The adapter compares Host with its own spelling of it and would refuse what the guard has allowed.
    request.headers.host = 'localhost'
    exchange.route = routeOf(judgement.path)
    void handle(request, answer)
  }

  const open = async (host: string, port: number) => {
    const server = createServer(
      {
        maxHeaderSize: limits.headerBytes,
        headersTimeout: limits.headerMs,
        requestTimeout: limits.requestMs,
        keepAliveTimeout: limits.keepAliveMs,
        // Node looks for overdue connections every 30 s by default.
        connectionsCheckingInterval: SWEEP_INTERVAL_MS,
        // The guard answers a missing Host itself, with a body.
        requireHostHeader: false,
      },
      onRequest,
    )
    // Node drops headers above a count without a word, a second Host among them; the byte limit is enough.
    server.maxHeadersCount = 0
    server.maxConnections = limits.connections
    server.on('drop', deps.onConnectionRefused)
    // Node would answer these two kinds of Expect without asking the guard.
    server.on('checkContinue', onRequest)
    server.on('checkExpectation', onRequest)
    server.on('clientError', onClientError)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => {
        server.off('error', reject)
        // Later accept errors (no file descriptors left, say) pass; the next client is served again.
        server.on('error', () => deps.log.warn('connection not accepted'))
        resolve()
      })
    })
    servers.push(server)
    return server
  }

  const sweep = setInterval(() => {
    const overdueMs = deps.monotonicMs() - limits.answerMs
    for (const [answer, { startedMs, socket }] of answering) {
      // A pipelined answer whose turn never came gets no event when its connection ends.
      if (socket.destroyed) answering.delete(answer)
      else if (startedMs < overdueMs) socket.destroy()
    }
  }, SWEEP_INTERVAL_MS)
  sweep.unref()

  return {
    async listen(host, port) {
      try {
        const server = await open(host === 'localhost' ? '127.0.0.1' : host, port)
        const address = server.address()
        const actualPort = typeof address === 'object' && address !== null ? address.port : port
        // Another user of the machine could squat on the other loopback; a machine without IPv6 has none.
        if (host === 'localhost') await open('::1', actualPort).catch(() => undefined)
        return `http://${openableHost(host)}:${actualPort}`
      } catch (error) {
        clearInterval(sweep)
        throw startErrorOf(error, host, port)
      }
    },
    async stop() {
      stopping = true
      clearInterval(sweep)
      await Promise.all(servers.splice(0).map((server) => closeServer(server, limits.stopMs)))
    },
  }
}

function closeServer(server: Server, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const impatient = setTimeout(() => server.closeAllConnections(), patienceMs)
    server.close(() => {
      clearTimeout(impatient)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function endWithError(answer: ServerResponse, slug: ErrorSlug): void {
  const { httpStatus, body } = errorBodies[slug]
  const text = JSON.stringify(body)
  answer.writeHead(httpStatus, {
    ...securityHeaders,
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  })
  answer.end(text)
}

/** What each refusal of the guard is answered. */
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

const SLUG_BY_PARSER_CODE: Readonly<Record<string, ErrorSlug>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** What never became a request still gets a readable answer. */
function onClientError(
  error: NodeJS.ErrnoException,
  socket: Socket & { readonly _httpMessage?: unknown },
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const { httpStatus, body } = errorBodies[SLUG_BY_PARSER_CODE[error.code ?? ''] ?? 'bad_request']
  const text = JSON.stringify(body)
  const headers = {
    ...securityHeaders,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  // A client that does not close in turn is closed a little later, so that it can still read the answer.
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
  socket.end(`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\n${lines.join('')}\r\n${text}`)
}

/** A wildcard address cannot be opened; everything else can. */
function openableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIP(host) === 6 ? `[${host}]` : host
}

function startErrorOf(error: unknown, host: string, port: number): StartError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  if (code === 'EADDRINUSE')
    return new StartError(
      'port_in_use',
      `${place} is already in use: stop what listens there or choose another --port`,
    )
  return new StartError(
    'bind_failed',
    `cannot listen on ${place} (${code}): check --host and --port`,
  )
}
