import { type EpochMs, plusMs } from '@svc/core'
import type { Clock } from '@svc/core/service'
import * as v from 'valibot'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { wireNumber } from '../wire/wire-fields.ts'
import { callForUsage, type UsageWay } from './usage-sink.ts'

/** The proxy's default retention of unread records. See docs/upstream.md#usage-queue. */
const QUEUE_RETENTION_SECONDS = 60
const QUEUE_RETENTION_SECONDS_MAX = 3600

const configSchema = v.object({ 'redis-usage-queue-retention-seconds': wireNumber })

/** Reads the seconds the proxy keeps unread records. The rest of its configuration, which contains keys, is dropped here. Throws UpstreamError. */
export async function fetchQueueRetention(
  client: UpstreamClient,
  call: ManagementCall,
): Promise<number> {
  const { body } = await client.get('usageRetention', call)
  const parsed = v.safeParse(configSchema, body)
  if (!parsed.success) throw new UpstreamError('bad_payload', 'config: expected an object')
  const seconds = parsed.output['redis-usage-queue-retention-seconds']
  return seconds === null || seconds < 1
    ? QUEUE_RETENTION_SECONDS
    : Math.min(seconds, QUEUE_RETENTION_SECONDS_MAX)
}

const SMALL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Age at which an answer is asked for again. */
const RETENTION_PERIOD_MS = 600_000

/** Watches the proxy's retention of unread records, asking again every ten minutes. */
export function createRetentionWatch(
  way: Pick<UsageWay, 'client' | 'gate'>,
  clock: Pick<Clock, 'monotonicMs'>,
) {
  let known: { readonly seconds: number; readonly askedAtMs: number } | null = null
  return {
    /** Seconds the proxy keeps unread records. Throws UpstreamError. */
    async seconds(stop: AbortSignal) {
      const nowMs = clock.monotonicMs()
      if (known !== null && nowMs - known.askedAtMs < RETENTION_PERIOD_MS) return known.seconds
      const seconds = await callForUsage(way, { stop, bytesMax: SMALL_ANSWER_BYTES_MAX }, (call) =>
        fetchQueueRetention(way.client, call),
      ).catch((error: unknown) => {
        // A proxy without this route uses its default.
        if (upstreamErrorOf(error).httpStatus === 404) return QUEUE_RETENTION_SECONDS
        throw error
      })
      known = { seconds, askedAtMs: nowMs }
      return seconds
    },
    /** Seconds in the proxy's last answer; null before the first answer. */
    lastKnown: () => known?.seconds ?? null,
    /** Makes the next call of `seconds` query the proxy again. */
    forget() {
      known = null
    },
  }
}

/** A moment on our wall clock and on the monotonic clock. */
export interface Moment {
  readonly at: EpochMs
  readonly atMs: number
}

/** Lead of the wall clock over the monotonic clock that reveals a set clock or a sleep. */
const APART_MS = 10_000

/** Measures the time since the queue was last read, even if our clock was set meanwhile. */
export function createQueueSilence(clock: Pick<Clock, 'now' | 'monotonicMs'>) {
  let readAt: Moment | null = null
  const since = ({ at, atMs }: Moment) => ({
    wallMs: clock.now() - at,
    ranMs: clock.monotonicMs() - atMs,
  })
  return {
    now: () => ({ at: clock.now(), atMs: clock.monotonicMs() }),
    /** Notes that the queue was read at this moment. */
    end(moment: Moment) {
      readAt = moment
    },
    /** Subtracts milliseconds already counted as missed from the silence. */
    skip(countedMs: number) {
      if (readAt !== null)
        readAt = { at: plusMs(readAt.at, countedMs), atMs: readAt.atMs + countedMs }
    },
    /** Forgets the last reading, because another monitor has read the queue since. */
    forget() {
      readAt = null
    },
    /** Whether the wall clock was set or the machine slept since the queue was read. */
    isClockApart() {
      if (readAt === null) return false
      const { wallMs, ranMs } = since(readAt)
      return wallMs - ranMs > APART_MS
    },
    /** Milliseconds since the queue was read. `lastPollAt` and `usageNow` are dated by the clock of usage. */
    lengthMs(lastPollAt: EpochMs, usageNow: EpochMs) {
      const usageMs = usageNow - lastPollAt
      if (readAt === null) return usageMs
      const { wallMs, ranMs } = since(readAt)
      // The monotonic clock stops during sleep; our clock and the proxy's then advance alike. If only one of them does, it was set.
      return Math.max(ranMs, Math.min(wallMs, usageMs))
    },
  }
}
