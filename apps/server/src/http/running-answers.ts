import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { streamedRoutes } from './app.ts'

/** A request that is being answered. */
export interface Exchange {
  readonly startedMs: number
  /** Time since which the client should be reading: the start or, for a streamed answer, the last progress. */
  owesSinceMs: number
  /** Bytes written to the connection at `owesSinceMs`. */
  bytesWritten: number
  readonly socket: Socket
  /** One of the served paths or `other`. */
  route: string
  /** True for an endless answer, which is counted once it has begun and is never overdue. */
  isStream: boolean
}

interface RunningAnswersDeps {
  /** Longest time a client may take to receive a ready answer, or a part of a streamed one. */
  readonly answerMs: number
  readonly monotonicMs: () => number
  readonly onResponse: (route: string, status: number, seconds: number) => void
}

/** Interval between searches for overdue answers. */
export const SWEEP_INTERVAL_MS = 1_000

/** Tracks answers that the client has not received yet: each is counted once received, and its connection is ended if that takes too long. */
export function createRunningAnswers(deps: RunningAnswersDeps) {
  const answering = new Map<ServerResponse, Exchange>()

  const count = ({ statusCode }: ServerResponse, { route, startedMs }: Exchange) =>
    deps.onResponse(route, statusCode, (deps.monotonicMs() - startedMs) / 1000)

  /** One shared function, so that no listener is allocated per answer. */
  function onAnswered(this: ServerResponse) {
    const exchange = answering.get(this)
    if (exchange === undefined) return
    answering.delete(this)
    count(this, exchange)
  }

  const sweep = setInterval(() => {
    const nowMs = deps.monotonicMs()
    for (const [answer, exchange] of answering) {
      const { route, socket } = exchange
      if (streamedRoutes.has(route) && hasTaken(answer, exchange)) {
        exchange.owesSinceMs = nowMs
        exchange.bytesWritten = socket.bytesWritten
      }
      // A pipelined answer still in the queue gets no event when its connection ends.
      if (socket.destroyed) answering.delete(answer)
      else if (exchange.owesSinceMs < nowMs - deps.answerMs) socket.destroy()
    }
  }, SWEEP_INTERVAL_MS)
  sweep.unref()

  return {
    begin({ socket }: IncomingMessage): Exchange {
      const startedMs = deps.monotonicMs()
      const { bytesWritten } = socket
      return {
        startedMs,
        owesSinceMs: startedMs,
        bytesWritten,
        socket,
        route: 'other',
        isStream: false,
      }
    },
    /** Tracks an answer that has been passed to Node. */
    follow(answer: ServerResponse, exchange: Exchange) {
      // Usually the operating system has already accepted the whole answer here.
      if (answer.writableFinished || exchange.isStream) return count(answer, exchange)
      answering.set(answer, exchange)
      answer.on('close', onAnswered)
    },
    /** Stops the search for overdue answers. */
    stop: () => clearInterval(sweep),
  }
}

export type RunningAnswers = ReturnType<typeof createRunningAnswers>

/** Whether the client has received everything written, or more than before; the next part is written once it has the last. */
function hasTaken({ writableLength }: ServerResponse, { socket, bytesWritten }: Exchange): boolean {
  return writableLength === 0 || socket.bytesWritten !== bytesWritten
}
