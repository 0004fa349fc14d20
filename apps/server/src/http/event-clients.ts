import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@svc/core/service'
import type { EventRing } from '@svc/monitor'
import { EVENT_STREAM_HEADERS } from '@svc/monitor'

export interface EventClientsDeps {
  readonly ring: EventRing
  /** Records that a client follows the events. Returns a promise while a snapshot is made for the first follower, else null. */
  readonly noteReader: () => Promise<unknown> | null
  readonly onCount: (clientCount: number) => void
  readonly clock: Clock
}

/** See docs/limits.md#what-a-client-may-take-up. */
export const EVENT_CLIENTS_MAX = 64
/** Bytes that may wait for a client that does not read. */
export const BACKLOG_BYTES_MAX = 256 * 1024
/** Interval of the comments that keep an idle connection open. */
const BEAT_MS = 15_000
const BEAT = ':\n\n'
const RETRY = 'retry: 3000\n\n'

/** Connections of the clients that follow the events. */
export function createEventClients(deps: EventClientsDeps) {
  const { ring, noteReader, clock } = deps
  /** Clients, each with whether it receives events yet; a new client first waits for its snapshot. */
  const clients = new Map<ServerResponse, boolean>()
  let cancelBeat = () => {}

  const send = (answer: ServerResponse, bytes: Uint8Array | string) => {
    answer.write(bytes)
    if (answer.writableLength > BACKLOG_BYTES_MAX) answer.destroy()
  }
  const sendAll = (bytes: Uint8Array | string) => {
    for (const [answer, isJoined] of clients) if (isJoined) send(answer, bytes)
  }
  const beatLater = () => {
    cancelBeat()
    cancelBeat = clock.schedule(BEAT_MS, () => {
      void noteReader()
      sendAll(BEAT)
      beatLater()
    })
  }
  const leave = (answer: ServerResponse) => {
    clients.delete(answer)
    deps.onCount(clients.size)
    if (clients.size === 0) cancelBeat()
  }
  ring.onEvent(sendAll)

  return {
    /** Opens an event stream, or sends only the headers for HEAD. False if there are too many clients. */
    open({ method, headers }: IncomingMessage, answer: ServerResponse) {
      const isHead = method === 'HEAD'
      if (!isHead && clients.size >= EVENT_CLIENTS_MAX) return false
      answer.shouldKeepAlive = false
      answer.writeHead(200, EVENT_STREAM_HEADERS)
      if (isHead) {
        answer.end()
        return true
      }
      answer.write(RETRY)
      if (clients.size === 0) beatLater()
      clients.set(answer, false)
      deps.onCount(clients.size)
      answer.on('close', () => leave(answer))
      const join = () => {
        if (!clients.has(answer)) return
        clients.set(answer, true)
        for (const bytes of ring.after(headers['last-event-id'] as string | undefined))
          send(answer, bytes)
      }
      const isMade = noteReader()
      if (isMade === null) join()
      else void isMade.then(join, join)
      return true
    },
    close() {
      cancelBeat()
      for (const answer of clients.keys()) {
        answer.end()
        // Whoever does not read would hold up the stop.
        if (answer.writableLength > 0) answer.destroy()
      }
    },
  }
}

export type EventClients = ReturnType<typeof createEventClients>
