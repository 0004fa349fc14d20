import type { Clock } from '@svc/core/service'
import * as v from 'valibot'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { wireNumber } from '../wire/wire-fields.ts'
import { callForUsage, type UsageWay } from './usage-calls.ts'

/** The proxy's default retention of unread records. See docs/upstream.md#usage-queue. */
const QUEUE_RETENTION_SECONDS = 60

const configSchema = v.object({ 'redis-usage-queue-retention-seconds': wireNumber })

/** Reads the seconds the proxy keeps unread records. The rest of its configuration, which contains keys, is dropped here. Throws UpstreamError. */
export async function fetchQueueRetention(
  client: UpstreamClient,
  call: ManagementCall,
): Promise<number> {
  const { body } = await client.get('config', call)
  const parsed = v.safeParse(configSchema, body)
  if (!parsed.success) throw new UpstreamError('bad_payload', 'config: expected an object')
  const seconds = parsed.output['redis-usage-queue-retention-seconds']
  return seconds !== null && seconds >= 1 && seconds <= 3600 ? seconds : QUEUE_RETENTION_SECONDS
}

/** Watches the proxy's retention of unread records, asking again every ten minutes. */
export interface RetentionWatch {
  /** Seconds the proxy keeps unread records. Throws UpstreamError. */
  seconds(stop: AbortSignal): Promise<number>
  /** The proxy's last answer; null before the first. */
  lastKnown(): number | null
  /** Makes the next call of `seconds` ask again. */
  forget(): void
}

const SMALL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Age at which an answer is asked for again. */
const RETENTION_PERIOD_MS = 600_000

export function createRetentionWatch(
  way: Pick<UsageWay, 'client' | 'gate'>,
  clock: Pick<Clock, 'monotonicMs'>,
): RetentionWatch {
  let known: { readonly seconds: number; readonly askedAtMs: number } | null = null
  return {
    async seconds(stop) {
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
    lastKnown: () => known?.seconds ?? null,
    forget() {
      known = null
    },
  }
}
