import { type EpochMs, plusMs } from '@svc/core'
import type { Clock } from '@svc/core/service'

/** A moment by our wall clock and by the monotonic one. */
export interface Moment {
  readonly at: EpochMs
  readonly atMs: number
}

/** Measures the time since the queue was last read, even if our clock was set meanwhile. */
export interface QueueSilence {
  now(): Moment
  /** Notes that the queue was read at this moment. */
  end(readAt: Moment): void
  /** Subtracts milliseconds already counted as missed from the silence. */
  skip(countedMs: number): void
  /** Forgets the last reading, because another monitor has read the queue since. */
  forget(): void
  /** Whether the wall clock was set or the machine slept since the queue was read. */
  isClockApart(): boolean
  /** Milliseconds since the queue was read. `lastPollAt` and `usageNow` are dated by the clock of usage. */
  lengthMs(lastPollAt: EpochMs, usageNow: EpochMs): number
}

/** Lead of the wall clock over the monotonic clock that shows a set clock or a sleep. */
const APART_MS = 10_000

export function createQueueSilence(clock: Pick<Clock, 'now' | 'monotonicMs'>): QueueSilence {
  let readAt: Moment | null = null
  const since = ({ at, atMs }: Moment) => ({
    wallMs: clock.now() - at,
    ranMs: clock.monotonicMs() - atMs,
  })
  return {
    now: () => ({ at: clock.now(), atMs: clock.monotonicMs() }),
    end(moment) {
      readAt = moment
    },
    skip(countedMs) {
      if (readAt !== null)
        readAt = { at: plusMs(readAt.at, countedMs), atMs: readAt.atMs + countedMs }
    },
    forget() {
      readAt = null
    },
    isClockApart() {
      if (readAt === null) return false
      const { wallMs, ranMs } = since(readAt)
      return wallMs - ranMs > APART_MS
    },
    lengthMs(lastPollAt, usageNow) {
      const usageMs = usageNow - lastPollAt
      if (readAt === null) return usageMs
      const { wallMs, ranMs } = since(readAt)
      // The monotonic clock stops during sleep; our clock and the proxy's then advance alike. If only one of them does, it was set.
      return Math.max(ranMs, Math.min(wallMs, usageMs))
    },
  }
}
