import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { Clock, ReceiptTime, UsageFeedState } from '@svc/core/service'
import type { UsageGap } from '@svc/core/usage'
import { isHeld } from '../proxy/management-access.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { createPopPace } from './pop-pace.ts'
import { createRetentionWatch } from './queue-retention.ts'
import { createQueueSilence, type Moment } from './queue-silence.ts'
import { callForUsage, refusedBySink, storeInSink, type UsageWay } from './usage-calls.ts'
import type { UsageSink } from './usage-sink.ts'

/** Takes records out of the proxy's queue. Whatever was taken is stored, or counted as lost. */
export interface QueuePoll {
  /** Throws UpstreamError, and SourceError where the store takes nothing. */
  poll(stop: AbortSignal): Promise<UsageFeedState>
  /** The last poll was full of new records, so there are more. */
  moreWait(): boolean
  /** Stores what was taken and is not stored yet. Throws SourceError where the store does not take it. */
  storeInHand(): Promise<void>
  /** Whether something was taken and is not stored yet. */
  holdsBatch(): boolean
  /** Others have taken records since the last poll. */
  takenOver(): void
  /** A poll failed: what is lost with the next is to be little. */
  noteFailure(): void
}

export interface QueuePlan extends UsageWay {
  /** Called before records are taken out of the queue. */
  readonly onPop: () => void
  readonly clock: Clock
}

/** A popped batch that could not be stored yet; it waits in memory, and nothing more is popped. */
interface BatchInHand {
  readonly bytes: Uint8Array
  readonly time: ReceiptTime
  /** When it was asked for: what came up since may still wait. */
  readonly polled: Moment
  /** Records that were asked for. */
  readonly asked: number
}

/** See docs/limits.md#calls-to-the-proxy. */
const QUEUE_BYTES_MAX = 32 * 1024 * 1024

export function createQueuePoll(plan: QueuePlan): QueuePoll {
  const { client, sink, clock } = plan
  const pace = createPopPace()
  const silence = createQueueSilence(clock)
  const retention = createRetentionWatch(plan, clock)
  let inHand: BatchInHand | null = null

  const pop = async (stop: AbortSignal): Promise<BatchInHand> => {
    const chunks: Uint8Array[] = []
    const asked = pace.count()
    const polled = silence.now()
    const { receivedAt } = await callForUsage(plan, { stop, bytesMax: QUEUE_BYTES_MAX }, (call) =>
      client.take(`usage-queue?count=${asked}`, call, (chunk) => chunks.push(chunk)),
    )
    const time = { receivedAt, usageAt: sink.now() }
    return { bytes: Buffer.concat(chunks), time, polled, asked }
  }

  const storeBatch = async ({ bytes, time, polled, asked }: BatchInHand): Promise<void> => {
    const lastPollAt = sink.position().lastPollAt ?? time.usageAt
    const ingested = await storeInSink(() => sink.storeQueue(bytes, time))
    inHand = null
    silence.end(polled)
    if (ingested === null) {
      await storeInSink(() => sink.recordGap(lostBatch(lastPollAt, time.usageAt)))
      throw new UpstreamError('bad_payload', 'usage-queue: expected a list of records')
    }
    const { elementCount, tally } = ingested
    pace.note({ asked, elementCount, storedCount: tally.stored })
    plan.onUsage(ingested, elementCount < asked)
  }

  return {
    async poll(stop) {
      // The proxy's answer says whether it was sleep or a clock that was set, before anything is taken.
      if (silence.isClockApart()) retention.forget()
      const keptSeconds = await retention.seconds(stop)
      if (inHand !== null) await storeBatch(inHand)
      const startedAt = sink.now()
      const { lastPollAt } = sink.position()
      if (lastPollAt !== null) {
        const missedMs = silence.lengthMs(lastPollAt, startedAt) - keptSeconds * 1000
        await recordForgotten(sink, lastPollAt, missedMs)
      }
      await markPop(sink, startedAt)
      plan.onPop()
      try {
        inHand = await pop(stop)
      } catch (error) {
        const failure = upstreamErrorOf(error)
        // A stop in between leaves the mark, which the next start counts.
        if (!stop.aborted) await settleFailedPop(sink, failure, lastPollAt ?? startedAt)
        throw failure
      }
      await storeBatch(inHand)
      return { kind: 'queue', retentionSeconds: keptSeconds, counters: null }
    },
    async storeInHand() {
      if (inHand !== null) await storeBatch(inHand)
    },
    holdsBatch: () => inHand !== null,
    takenOver() {
      silence.forget()
      retention.forget()
    },
    moreWait: pace.moreWait,
    noteFailure: pace.reset,
  }
}

/** Until the mark is stored another monitor may have taken over, which then takes the records. */
async function markPop(sink: UsageSink, at: EpochMs): Promise<void> {
  await storeInSink(() => sink.markPop(at))
  if (sink.refusal() !== 'standby') return
  await storeInSink(() => sink.clearPop())
  throw refusedBySink('standby')
}

/** What the queue has thrown away since it was read; nothing where no time was missed. */
async function recordForgotten(sink: UsageSink, from: EpochMs, missedMs: number): Promise<void> {
  if (missedMs <= 0) return
  const to = plusMs(from, missedMs)
  await storeInSink(() => sink.recordGap({ from, to, reason: 'retention_exceeded' }))
}

/** A pop failed: what it may have taken since `from` is lost. */
function settleFailedPop(sink: UsageSink, failure: UpstreamError, from: EpochMs): Promise<void> {
  return storeInSink(() =>
    mayHaveTaken(failure) ? sink.recordGap(lostBatch(from, sink.now())) : sink.clearPop(),
  )
}

/** Nothing is known of what an answer held that got lost; a clock that was set back in between makes the gap no shorter than nothing. */
function lostBatch(from: EpochMs, to: EpochMs): UsageGap {
  return { from, to: epochMs(Math.max(from, to)), reason: 'batch_lost' }
}

/** Records leave the queue before the answer is written, so only an answer that refuses, or none at all, has taken nothing. */
function mayHaveTaken(failure: UpstreamError): boolean {
  const { httpStatus, wasSent, code } = failure
  if (httpStatus !== null) return httpStatus < 400
  return wasSent && code !== 'redirected' && !isHeld(failure)
}
