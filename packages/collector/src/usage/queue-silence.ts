import type { EpochMs } from '@svc/core'
import type { Clock } from '@svc/core/service'

/** A moment by our wall clock and by the monotonic one. */
export interface Moment {
  readonly at: EpochMs
  readonly atMs: number
}

/** How long nobody has read the queue, whatever happened to our clock meanwhile. */
export interface QueueSilence {
  now(): Moment
  /** The queue was read at this moment. */
  end(readAt: Moment): void
  /** Others have read the queue since. */
  forget(): void
  /** The wall clock was set, or the machine slept, since the queue was read. */
  isClockApart(): boolean
  /** Milliseconds since the queue was read, `lastPollAt` and `usageNow` being dated by the clock of usage. */
  lengthMs(lastPollAt: EpochMs, usageNow: EpochMs): number
}

/** The wall clock was set, or the machine slept, where it went on by so much more than the monotonic clock. */
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
      // The monotonic clock stands still while the machine sleeps, which our clock and the proxy's then show alike. One of them alone was set.
      return Math.max(ranMs, Math.min(wallMs, usageMs))
    },
  }
}
