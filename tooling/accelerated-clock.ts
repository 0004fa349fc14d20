import { type Clock, epochMs } from '@svc/core'

/** A clock that runs `factor` times as fast as the real one, for whole-system tests over real sockets. */
export function acceleratedClock(factor: number, startMs = Date.now()): Clock {
  const origin = performance.now()
  const elapsedMs = () => (performance.now() - origin) * factor
  return {
    now: () => epochMs(startMs + elapsedMs()),
    monotonicMs: elapsedMs,
    schedule(delayMs, task) {
      const timer = setTimeout(task, delayMs / factor)
      return () => clearTimeout(timer)
    },
  }
}
