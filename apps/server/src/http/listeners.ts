import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { errorCodeOf, type Log } from '@svc/core/service'
import { JSON_TYPE, type Report, securityHeaders } from '@svc/monitor'
import { type ErrorSlug, errorBodies } from '@svc/views'
import { SWEEP_INTERVAL_MS } from './running-answers.ts'

/** Resource limits for one client. See docs/limits.md#what-a-client-may-take-up. */
export interface HttpLimits {
  readonly urlLength: number
  readonly headerBytes: number
  readonly headerMs: number
  readonly requestMs: number
  /** Longest time a client may take to receive a ready answer, or a part of a streamed one. */
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

/** The service cannot listen. The message is one line that names host and port. */
export class StartError extends Error {
  readonly code: 'port_in_use' | 'bind_failed'

  constructor(code: 'port_in_use' | 'bind_failed', message: string) {
    super(message)
    this.name = 'StartError'
    this.code = code
  }
}

interface ListenersDeps {
  readonly limits: HttpLimits
  readonly log: Log
  readonly onRequest: RequestListener
  readonly report: Pick<Report, 'count'>
}

/** The listening sockets: one, or for `localhost` one on each loopback address. */
export function createListeners(deps: ListenersDeps) {
  const servers: Server[] = []
  const open = async (host: string, port: number) => {
    const server = serverOf(deps)
    await listening(server, host, port, deps.log)
    servers.push(server)
    return server
  }
  return {
    /** Listens and resolves with the address to open. Rejects with StartError. */
    async listen(host: string, port: number): Promise<string> {
      try {
        const server = await open(host === 'localhost' ? '127.0.0.1' : host, port)
        const address = server.address()
        const actualPort = typeof address === 'object' && address !== null ? address.port : port
        // Another user of the machine could listen on the other loopback address; a machine without IPv6 has none.
        if (host === 'localhost') await open('::1', actualPort).catch(() => undefined)
        return `http://${openableHost(host)}:${actualPort}`
      } catch (error) {
        throw startErrorOf(error, host, port)
      }
    },
    /** Lets running answers end, for at most `stopMs`, then closes every connection. */
    async close() {
      await Promise.all(servers.splice(0).map((server) => closeServer(server, deps.limits.stopMs)))
    },
  }
}

export type Listeners = ReturnType<typeof createListeners>

function serverOf({ limits, onRequest, report }: ListenersDeps): Server {
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
  // Node silently drops headers above a count, even a second Host; the byte limit is enough.
  server.maxHeadersCount = 0
  server.maxConnections = limits.connections
  // The connection limit is reached, so this connection is closed unread.
  server.on('drop', () => report.count({ counter: 'http_connections_refused_total' }))
  // Node would answer these two kinds of Expect without asking the guard.
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', onRequest)
  server.on('clientError', onClientError)
  return server
}

function listening(server: Server, host: string, port: number, log: Log): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      // Later accept errors (such as no free file descriptors) pass; the next client is served again.
      server.on('error', () => log.warn('connection not accepted'))
      resolve()
    })
  })
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

/** A host that can be opened in a browser; replaces a wildcard address. */
function openableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIP(host) === 6 ? `[${host}]` : host
}

function startErrorOf(error: unknown, host: string, port: number): StartError {
  const code = errorCodeOf(error)
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

/** Longest time a connection stays open after its last answer. */
const LINGER_MS = 1_000

const SLUG_BY_PARSER_CODE: Readonly<Record<string, ErrorSlug>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Sends an error answer for a malformed request that never reached the app. */
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
  // A client that does not close its side is disconnected a little later, so that it can still read the answer.
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
  socket.end(`HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus]}\r\n${lines.join('')}\r\n${text}`)
}
