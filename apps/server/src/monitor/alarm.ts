import type { Clock } from '@svc/core/service'

/** One timer that rings at the earliest of the times it was set to. */
export interface Alarm {
  /** Rings at `atMs`, a monotonic time, or before. */
  setBefore(atMs: number): void
  cancel(): void
}

export function createAlarm(clock: Clock, ring: () => void): Alarm {
  let cancelTimer = () => {}
  let ringsAtMs = Number.POSITIVE_INFINITY

  const cancel = () => {
    cancelTimer()
    ringsAtMs = Number.POSITIVE_INFINITY
  }
  return {
    cancel,
    setBefore(atMs) {
      if (ringsAtMs <= atMs) return
      cancelTimer()
      ringsAtMs = atMs
      cancelTimer = clock.schedule(atMs - clock.monotonicMs(), () => {
        ringsAtMs = Number.POSITIVE_INFINITY
        ring()
      })
    },
  }
}
