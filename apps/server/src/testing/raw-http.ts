import { connect } from 'node:net'
import { type VirtualClock, virtualClock } from '@svc/core/testing'
import type { HistoryAnswers } from '@svc/monitor'
import { createEventRing, type EventRing, encodeJson } from '@svc/monitor'
import { compileGuard, type GuardConfig } from '../guards/host-origin-guard.ts'
import { createApp } from '../http/app.ts'
import { createEventClients } from '../http/event-clients.ts'
import { createHttpServer, type HttpServer, type HttpServerDeps } from '../http/http-server.ts'
import { type HttpLimits, httpLimits } from '../http/listeners.ts'
import { aDemoRefresh, historyOf } from './app-deps.ts'

export interface ServedShell {
  readonly http: HttpServer
  readonly port: number
  readonly denied: string[]
  readonly logged: string[]
  readonly ring: EventRing
  /** Of the comments in the events. */
  readonly clock: VirtualClock
  /** Number of clients of the events after each that came or went. */
  readonly eventClients: readonly number[]
  refusedConnections(): number
}

/** The real HTTP shell with a small payload, on a free loopback port. */
export async function serveShell(
  guard: Partial<GuardConfig> = {},
  limits: Partial<HttpLimits> = {},
  rows: HistoryAnswers['rows'] = async () => 'no_store',
): Promise<ServedShell> {
  const payload = encodeJson({ filler: 'x'.repeat(2_000) })
  const denied: string[] = []
  const logged: string[] = []
  const eventClients: number[] = []
  let refusedConnections = 0
  const keep = (event: string, fields?: object) =>
    void logged.push(`${event} ${JSON.stringify(fields ?? {})}`)
  const log = { debug: keep, info: keep, warn: keep, error: keep }
  const schedulerAsked: HttpServerDeps['schedulerAsked'] = ({ upstream, refusal }) =>
    void logged.push(`asked ${upstream} ${refusal}`)
  const app = createApp({
    payload: () => payload,
    payloadAt: async () => ({ answer: payload }),
    pick: async () => ({ answer: payload }),
    schedulerAsked,
    openapi: () => Promise.resolve(payload),
    calendar: () => Promise.resolve(payload),
    history: historyOf(payload, rows),
    refresh: aDemoRefresh('none'),
    dashboard: null,
    unready: () => null,
    metrics: async () => 'svc_quota_monitor_gateway_up 1\n',
    log,
  })
  const ring = createEventRing(0)
  const clock = virtualClock(() => new Promise((resolve) => setImmediate(resolve)))
  const http = createHttpServer({
    app,
    events: createEventClients({
      ring,
      noteReader: () => null,
      onCount: (count) => void eventClients.push(count),
      clock,
    }),
    guard: compileGuard({ allowedHosts: [], host: '127.0.0.1', ...guard }),
    limits: { ...httpLimits, ...limits },
    log,
    monotonicMs: () => performance.now(),
    date: null,
    report: {
      count(count) {
        if (count.counter === 'http_guard_denied_total') denied.push(count.reason)
        if (count.counter === 'http_connections_refused_total') refusedConnections += 1
      },
    },
    schedulerAsked,
    onResponse: () => undefined,
  })
  const url = await http.listen('127.0.0.1', 0)
  return {
    http,
    port: Number(new URL(url).port),
    denied,
    logged,
    ring,
    clock,
    eventClients,
    refusedConnections: () => refusedConnections,
  }
}

export interface RawAnswer {
  readonly status: number
  /** Header names are in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly text: string
}

/** Sends bytes unchanged and reads until the server closes, or until `quietMs` pass without a byte. */
export function sendRaw(
  port: number,
  bytes: string | Uint8Array,
  quietMs = 400,
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const done = () => {
      socket.destroy()
      resolve(parseAnswer(text))
    }
    socket.setEncoding('latin1')
    socket.setTimeout(quietMs, done)
    socket.on('data', (chunk: string) => {
      text += chunk
      if (isComplete(text)) done()
    })
    socket.on('error', () => undefined)
    socket.on('close', done)
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes)
  })
}

function isComplete(text: string): boolean {
  const { headers, body } = parseAnswer(text)
  const length = headers.get('content-length')
  return length !== undefined && body.length >= Number(length)
}

/** Parses the first answer of a connection. Status 0: there was none. */
export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? '' : text.slice(0, end)
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  return {
    status: Number(statusLine.split(' ')[1] ?? 0),
    headers,
    body: end < 0 ? '' : text.slice(end + 4),
    text,
  }
}
