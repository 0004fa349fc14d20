import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A request that is being answered. */
export interface Exchange {
  readonly startedMs: number
  readonly socket: Socket
  /** One of the served paths or `other`. */
  route: string
  /** True for an answer without an end: it is counted once begun, and is never overdue. */
  isStream: boolean
}

interface RunningAnswersDeps {
  /** Longest time a client may take to receive a ready answer. */
  readonly answerMs: number
  readonly monotonicMs: () => number
  readonly onResponse: (route: string, status: number, seconds: number) => void
}

/** Tracks answers that the client has not received yet: each is counted once received, and its connection is ended if that takes too long. */
export interface RunningAnswers {
  begin(request: IncomingMessage): Exchange
  /** Called once the answer was passed to Node. */
  follow(answer: ServerResponse, exchange: Exchange): void
  /** Stops the search for overdue answers. */
  stop(): void
}

/** Interval between searches for overdue answers. */
export const SWEEP_INTERVAL_MS = 1_000

export function createRunningAnswers(deps: RunningAnswersDeps): RunningAnswers {
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
    const overdueMs = deps.monotonicMs() - deps.answerMs
    for (const [answer, { startedMs, socket }] of answering) {
      // A pipelined answer still in the queue gets no event when its connection ends.
      if (socket.destroyed) answering.delete(answer)
      else if (startedMs < overdueMs) socket.destroy()
    }
  }, SWEEP_INTERVAL_MS)
  sweep.unref()

  return {
    begin: ({ socket }) => ({
      startedMs: deps.monotonicMs(),
      socket,
      route: 'other',
      isStream: false,
    }),
    follow(answer, exchange) {
      // Usually the operating system has already accepted the whole answer here.
      if (answer.writableFinished || exchange.isStream) return count(answer, exchange)
      answering.set(answer, exchange)
      answer.on('close', onAnswered)
    },
    stop: () => clearInterval(sweep),
  }
}
