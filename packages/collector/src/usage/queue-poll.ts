import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { Clock, ReceiptTime, UsageFeedState } from '@svc/core/service'
import type { UsageGap } from '@svc/core/usage'
import { isHeld } from '../proxy/management-access.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { createQueueSilence, createRetentionWatch, type Moment } from './queue-retention.ts'
import { callForUsage, refusedBySink, type UsageWay } from './usage-sink.ts'

export interface QueuePlan extends UsageWay {
  /** Called before records are taken out of the queue. */
  readonly onPop: () => void
  /** Called when the proxy has discarded unread records, with the seconds it keeps them. */
  readonly onForgotten: (keptSeconds: number) => void
  readonly clock: Clock
}

/** Answer of a pop. It waits in memory until it is stored; if the store refuses, nothing more is popped. */
interface PoppedBatch {
  readonly bytes: Uint8Array
  readonly time: ReceiptTime
  /** Moment of the request; records added later may still be in the queue. */
  readonly polled: Moment
  /** Number of records requested. */
  readonly asked: number
}

/** See docs/limits.md#calls-to-the-proxy. */
const QUEUE_BYTES_MAX = 32 * 1024 * 1024
/** See docs/upstream.md#usage-queue. */
const RECORDS = 500
/** Largest pop: 20,000 records a second with one pop every 100 ms. */
const RECORDS_MAX = 2_000
/** Least time between the starts of two pops, however many records wait. */
export const POP_MS_MIN = 100

/** Takes records out of the proxy's queue. All taken records are stored or counted as lost. */
export function createQueuePoll(plan: QueuePlan) {
  const { client, sink, clock } = plan
  const silence = createQueueSilence(clock)
  const retention = createRetentionWatch(plan, clock)
  let pending: PoppedBatch | null = null
  /** Records of the next pop. */
  let count = RECORDS
  let more = false

  const storePending = async () => {
    if (pending === null) return
    const { bytes, time, polled, asked } = pending
    const from = sink.position().lastPollAt ?? time.usageAt
    const ingested = await sink.storeQueue(bytes, time)
    pending = null
    silence.end(polled)
    if (ingested === null) {
      await sink.recordGap(lostBatch(from, time.usageAt))
      throw new UpstreamError('bad_payload', 'usage-queue: expected a list of records')
    }
    const { elementCount, tally } = ingested
    // A proxy that repeats its answer has no more new records.
    more = elementCount >= asked && 2 * tally.stored >= elementCount
    count = more ? Math.min(RECORDS_MAX, 2 * count) : RECORDS
    plan.onUsage(ingested, elementCount < asked)
  }
  const countForgotten = async (keptSeconds: number | null) => {
    const { lastPollAt } = sink.position()
    if (lastPollAt === null || keptSeconds === null) return
    const missedMs = silence.lengthMs(lastPollAt, sink.now()) - keptSeconds * 1000
    if (missedMs <= 0) return
    const to = plusMs(lastPollAt, missedMs)
    await sink.recordGap({ from: lastPollAt, to, reason: 'retention_exceeded' })
    silence.skip(missedMs)
    plan.onForgotten(keptSeconds)
  }

  /** Counts what the proxy has discarded; returns the seconds for which it keeps records. */
  const begin = async (stop: AbortSignal) => {
    // Asks the proxy for its retention again: the answer shows, before any records are taken, whether the machine slept or its clock was set.
    if (silence.isClockApart()) retention.forget()
    await storePending()
    // Counts losses even while the proxy does not answer.
    await countForgotten(retention.lastKnown())
    const keptSeconds = await retention.seconds(stop)
    await countForgotten(keptSeconds)
    return keptSeconds
  }

  /** Takes records out; counts what a failed pop may have taken as lost. Throws UpstreamError. */
  const pop = async (markedAt: EpochMs, stop: AbortSignal): Promise<PoppedBatch> => {
    const from = sink.position().lastPollAt ?? markedAt
    const polled = silence.now()
    const asked = count
    const chunks: Uint8Array[] = []
    try {
      const { receivedAt } = await callForUsage(plan, { stop, bytesMax: QUEUE_BYTES_MAX }, (call) =>
        client.take('usageQueue', call, (chunk) => chunks.push(chunk), `?count=${asked}`),
      )
      const time = { receivedAt, usageAt: sink.now(), markedAt }
      return { bytes: Buffer.concat(chunks), time, polled, asked }
    } catch (error) {
      const failure = upstreamErrorOf(error)
      // After a stop the mark stays, and the next start counts the loss.
      if (stop.aborted) throw failure
      if (!mayHaveTaken(failure)) await sink.clearPop()
      else {
        await sink.recordGap(lostBatch(from, sink.now()))
        silence.end(silence.now())
      }
      throw failure
    }
  }

  return {
    begin,
    /** Notes that all records were read until now. */
    noteRead: () => silence.end(silence.now()),
    /** Takes and stores records once. Throws UpstreamError, and SourceError if the store refuses. */
    async poll(stop: AbortSignal): Promise<UsageFeedState> {
      const keptSeconds = await begin(stop)
      const markedAt = sink.now()
      await sink.markPop(markedAt)
      if (sink.refusal() === 'standby') {
        await sink.clearPop()
        throw refusedBySink('standby')
      }
      plan.onPop()
      pending = await pop(markedAt, stop)
      await storePending()
      return { kind: 'queue', retentionSeconds: keptSeconds, counters: null }
    },
    /** Stores the taken records that are still pending. Throws SourceError if the store refuses. */
    storePending,
    /** Whether taken records are still pending. */
    hasPending: () => pending !== null,
    /** Notes that another monitor has taken records since the last poll. */
    takenOver() {
      silence.forget()
      retention.forget()
    },
    /** Whether the last poll was full of new records, which means that more are waiting. */
    moreWait: () => more,
    /** Notes a failed poll. The next poll is small, so that little is lost if it fails too. */
    noteFailure() {
      more = false
      count = RECORDS
    },
  }
}

/** The gap of a lost answer with unknown content. Its length is 0 if the clock was set back in the meantime. */
function lostBatch(from: EpochMs, to: EpochMs): UsageGap {
  return { from, to: epochMs(Math.max(from, to)), reason: 'batch_lost' }
}

/**
 * Whether a failed pop may have taken records. The proxy removes records before it writes the answer, so only a refused or unsent request takes none.
 */
function mayHaveTaken(failure: UpstreamError): boolean {
  const { httpStatus, wasSent, code } = failure
  if (httpStatus !== null) return httpStatus < 400
  return wasSent && code !== 'redirected' && !isHeld(failure)
}
