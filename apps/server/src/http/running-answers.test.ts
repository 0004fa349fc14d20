import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRunningAnswers, type RunningAnswers } from './running-answers.ts'

let nowMs: number
let counted: (readonly [string, number, number])[]
let running: RunningAnswers
beforeEach(() => {
  vi.useFakeTimers()
  nowMs = 1_000
  counted = []
  running = createRunningAnswers({
    answerMs: 30_000,
    monotonicMs: () => nowMs,
    onResponse: (route, status, seconds) => counted.push([route, status, seconds]),
  })
})
afterEach(() => {
  running.stop()
  vi.useRealTimers()
})

/** A request, its answer and its connection, reduced to the members in use. */
function exchanged({ isTaken = false } = {}) {
  const socket = {
    destroyed: false,
    destroy() {
      this.destroyed = true
    },
  }
  const answer = Object.assign(new EventEmitter(), { statusCode: 200, writableFinished: isTaken })
  return {
    socket,
    answer: answer as EventEmitter & { statusCode: number },
    exchange: running.begin({ socket } as unknown as IncomingMessage),
    follow(exchange: ReturnType<RunningAnswers['begin']>) {
      running.follow(answer as unknown as ServerResponse, exchange)
    },
  }
}
const pass = (milliseconds: number) => {
  nowMs += milliseconds
  vi.advanceTimersByTime(milliseconds)
}

describe('a running answer', () => {
  it('that was taken at once is counted at once, with its route', () => {
    const { exchange, follow } = exchanged({ isTaken: true })
    exchange.route = '/healthz'
    nowMs += 250
    follow(exchange)

    expect(counted).toEqual([['/healthz', 200, 0.25]])
  })

  it('is counted when it has been taken, with the status it was given meanwhile', () => {
    const { answer, exchange, follow } = exchanged()
    follow(exchange)
    nowMs += 2_000
    answer.statusCode = 304
    answer.emit('close')
    answer.emit('close')

    expect(counted).toEqual([['other', 304, 2]])
  })

  it('that is not taken for 30 s loses its connection', () => {
    const { exchange, follow, socket } = exchanged()
    follow(exchange)
    pass(30_000)
    expect(socket.destroyed).toBe(false)
    pass(1_000)

    expect(socket.destroyed).toBe(true)
  })

  it('whose connection is gone without an event is forgotten, and not counted', () => {
    const { answer, exchange, follow, socket } = exchanged()
    follow(exchange)
    socket.destroyed = true
    pass(1_000)
    answer.emit('close')

    expect(counted).toEqual([])
  })

  it('is not cut once the server stops', () => {
    const { exchange, follow, socket } = exchanged()
    follow(exchange)
    running.stop()
    pass(60_000)

    expect(socket.destroyed).toBe(false)
  })
})
