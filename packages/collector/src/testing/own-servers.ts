import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import type { Clock } from '@svc/core/service'
import { NOW } from '@svc/core/testing'
import { UpstreamError } from '../proxy/upstream-error.ts'

/** Real deadlines with a fixed wall clock. */
export const realClock: Clock = {
  now: () => NOW,
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    const timer = setTimeout(task, delayMs)
    return () => clearTimeout(timer)
  },
}

const servers: { close(): unknown }[] = []

/** Closes every server, with its connections. */
export function closeServers(): void {
  for (const server of servers.splice(0)) server.close()
}

function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  servers.push({
    close() {
      if ('closeAllConnections' in server) server.closeAllConnections()
      server.close()
    },
  })
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    ),
  )
}

/** A server with the given answer that records its requests. */
export async function aServer(answer: RequestListener) {
  const seen: IncomingMessage[] = []
  const url = await listen(
    createServer((request, response) => {
      seen.push(request)
      answer(request, response)
    }),
  )
  return { url, seen }
}

/** A server of raw bytes: one answer per connection. */
export async function aRawServer(onRequest: (socket: Socket, connection: number) => void) {
  let connections = 0
  const url = await listen(
    createTcpServer((socket) => {
      connections += 1
      const connection = connections
      socket.on('error', () => {})
      socket.once('data', () => onRequest(socket, connection))
    }),
  )
  return { url, connectionCount: () => connections }
}

/** A server whose connections are served by `onSocket` from their first byte on, and end with it. Returns its address. */
export async function aSocketServer(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = []
  const url = await listen(
    createTcpServer((socket) => {
      sockets.push(socket)
      onSocket(socket)
    }),
  )
  servers.push({ close: () => sockets.map((socket) => socket.destroy()) })
  return url
}

/** The failure of a call, checked not to quote anything marked as `canary`. */
export async function failureOf(pending: Promise<unknown>): Promise<UpstreamError> {
  const error: unknown = await pending.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof UpstreamError))
    throw new Error(`expected an UpstreamError, got ${String(error)}`)
  if (`${error.message}${error.stack ?? ''}`.includes('canary'))
    throw new Error('the failure quotes what was sent or answered')
  return error
}

/** Answers every request with this status, these headers and this body. */
export const answering =
  (
    status: number,
    headers: Readonly<Record<string, string>> = {},
    body: string | Uint8Array = '',
  ): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(body)

export const answerJson = (body: unknown, headers: Record<string, string> = {}): RequestListener =>
  answering(
    200,
    { 'content-type': 'application/json; charset=utf-8', ...headers },
    JSON.stringify(body),
  )
