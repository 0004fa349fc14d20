import { type Clock, epochMs } from '@svc/core'

/**
 * A clock that runs `factor` times as fast as the real one, for whole-system tests over real sockets. Two processes that are given the same
 * `originMs` (real time at which both clocks say that time) agree.
 */
export function acceleratedClock(factor: number, originMs = realNowMs()): Clock {
  const elapsedMs = () => (realNowMs() - originMs) * factor
  return {
    now: () => epochMs(originMs + elapsedMs()),
    monotonicMs: elapsedMs,
    schedule(delayMs, task) {
      const timer = setTimeout(task, delayMs / factor)
      return () => clearTimeout(timer)
    },
  }
}

/** Real time that does not jump, in milliseconds since 1970. */
export function realNowMs(): number {
  return performance.timeOrigin + performance.now()
}
