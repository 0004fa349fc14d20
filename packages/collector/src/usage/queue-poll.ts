import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { Clock, ReceiptTime, UsageFeedState } from '@svc/core/service'
import type { UsageGap } from '@svc/core/usage'
import { isHeld } from '../proxy/management-access.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { createPopPace, POP_MS_MIN, type PopPace } from './pop-pace.ts'
import { createRetentionWatch } from './queue-retention.ts'
import { createQueueSilence, type Moment, type QueueSilence } from './queue-silence.ts'
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

/** What a pop brought. Until it is stored it waits in memory, and where the store does not take it, nothing more is popped. */
interface PoppedBatch {
  readonly bytes: Uint8Array
  readonly time: ReceiptTime
  /** When it was asked for: what came up since may still wait. */
  readonly polled: Moment
  /** Records that were asked for. */
  readonly asked: number
}

interface Hand {
  batches: readonly PoppedBatch[]
  /** What a pop has lost that came after those in hand; told once those are stored. */
  lost: UsageGap | null
}

/** See docs/limits.md#calls-to-the-proxy. */
const QUEUE_BYTES_MAX = 32 * 1024 * 1024
/** How long pops are collected that share a transaction. */
const SHARED_MS_MAX = 1_000

export function createQueuePoll(plan: QueuePlan): QueuePoll {
  const { sink, clock } = plan
  const pace = createPopPace(clock)
  const silence = createQueueSilence(clock)
  const retention = createRetentionWatch(plan, clock)
  const hand: Hand = { batches: [], lost: null }
  const storeInHand = createHandStore(plan, { hand, pace, silence })
  const pops = createPops(plan, hand, silence)

  return {
    async poll(stop) {
      // The proxy's answer says whether it was sleep or a clock that was set, before anything is taken.
      if (silence.isClockApart()) retention.forget()
      const keptSeconds = await retention.seconds(stop)
      await storeInHand()
      const counts = pace.counts()
      if (counts.length > 1) await pops.rested(stop)
      const startedAt = sink.now()
      const { lastPollAt } = sink.position()
      if (lastPollAt !== null) {
        const missedMs = silence.lengthMs(lastPollAt, startedAt) - keptSeconds * 1000
        await recordForgotten(sink, lastPollAt, missedMs)
      }
      // The mark bounds what is lost with this process: also what the last of several pops takes out.
      await markPop(sink, counts.length > 1 ? plusMs(startedAt, SHARED_MS_MAX) : startedAt)
      plan.onPop()
      try {
        await pops.takeOut(counts, lastPollAt ?? startedAt, stop)
      } catch (error) {
        // What earlier pops have brought is stored whatever became of this one.
        if (hand.batches.length > 0) await storeInHand()
        throw error
      }
      await storeInHand()
      return { kind: 'queue', retentionSeconds: keptSeconds, counters: null }
    },
    storeInHand,
    holdsBatch: () => hand.batches.length > 0,
    takenOver() {
      silence.forget()
      retention.forget()
    },
    moreWait: pace.moreWait,
    noteFailure: pace.reset,
  }
}

interface Pops {
  /** Waits until the proxy may be asked for another pop, or the program stops. */
  rested(stop: AbortSignal): Promise<void>
  /** Takes out what one transaction stores. Throws UpstreamError; what was popped before is then in hand. */
  takeOut(counts: readonly number[], lastReadAt: EpochMs, stop: AbortSignal): Promise<void>
}

/** Takes records out of the queue and into the hand. */
function createPops(plan: QueuePlan, hand: Hand, silence: QueueSilence): Pops {
  const { client, sink, clock } = plan
  let lastPopMs = Number.NEGATIVE_INFINITY

  const pop = async (asked: number, stop: AbortSignal): Promise<PoppedBatch> => {
    const chunks: Uint8Array[] = []
    const polled = silence.now()
    lastPopMs = polled.atMs
    const { receivedAt } = await callForUsage(plan, { stop, bytesMax: QUEUE_BYTES_MAX }, (call) =>
      client.take(`usage-queue?count=${asked}`, call, (chunk) => chunks.push(chunk)),
    )
    const time = { receivedAt, usageAt: sink.now() }
    return { bytes: Buffer.concat(chunks), time, polled, asked }
  }

  const rested = (stop: AbortSignal): Promise<void> =>
    rest(clock, lastPopMs + POP_MS_MIN - clock.monotonicMs(), stop)

  /** Whether one more pop may share the transaction of those in hand. */
  const mayShare = (stop: AbortSignal): boolean => {
    const [first] = hand.batches
    if (first === undefined) return true
    const bytes = hand.batches.reduce((sum, batch) => sum + batch.bytes.length, 0)
    const isInTime = clock.monotonicMs() - first.polled.atMs < SHARED_MS_MAX
    return isInTime && bytes < QUEUE_BYTES_MAX && !stop.aborted && sink.refusal() === null
  }

  const takeOut: Pops['takeOut'] = async (counts, lastReadAt, stop) => {
    for (const asked of counts) {
      if (hand.batches.length > 0) await rested(stop)
      if (!mayShare(stop)) return
      try {
        hand.batches = [...hand.batches, await pop(asked, stop)]
      } catch (error) {
        const failure = upstreamErrorOf(error)
        const last = hand.batches.at(-1)
        if (last !== undefined) {
          if (mayHaveTaken(failure)) hand.lost = lostBatch(last.time.usageAt, sink.now())
        } else if (!stop.aborted) {
          await settleFailedPop(sink, failure, lastReadAt)
        }
        // Else a stop in between leaves the mark, which the next start counts.
        throw failure
      }
    }
  }

  return { rested, takeOut }
}

/** Stores what is in hand, together; what of it is no list of records alone is lost. */
function createHandStore(
  { sink, onUsage }: QueuePlan,
  {
    hand,
    pace,
    silence,
  }: { readonly hand: Hand; readonly pace: PopPace; readonly silence: QueueSilence },
): () => Promise<void> {
  /** Stores these, the first of those in hand, in one transaction. False where one of several is no list of records: nothing is stored then. */
  const storeTogether = async (batches: readonly PoppedBatch[]): Promise<boolean> => {
    const last = batches.at(-1)
    if (last === undefined) return true
    const lastPollAt = sink.position().lastPollAt ?? last.time.usageAt
    const answers = batches.map(({ bytes }) => bytes)
    const ingested = await storeInSink(() => sink.storeQueue(answers, last.time))
    if (ingested === null && batches.length > 1) return false
    hand.batches = hand.batches.slice(batches.length)
    silence.end(last.polled)
    if (ingested === null) {
      await storeInSink(() => sink.recordGap(lostBatch(lastPollAt, last.time.usageAt)))
      throw new UpstreamError('bad_payload', 'usage-queue: expected a list of records')
    }
    const { elementCount, tally } = ingested
    const asked = batches.reduce((sum, batch) => sum + batch.asked, 0)
    pace.note({ asked, elementCount, storedCount: tally.stored })
    onUsage(ingested, elementCount < asked)
    return true
  }

  return async () => {
    let badAnswer: UpstreamError | null = null
    if (!(await storeTogether(hand.batches)))
      while (hand.batches.length > 0)
        await storeTogether(hand.batches.slice(0, 1)).catch((error: unknown) => {
          if (!(error instanceof UpstreamError)) throw error
          badAnswer = error
        })
    if (hand.lost !== null) {
      const gap = hand.lost
      await storeInSink(() => sink.recordGap(gap))
      hand.lost = null
    }
    if (badAnswer !== null) throw badAnswer
  }
}

/** Until this time has passed, or the program stops. */
function rest(clock: Clock, milliseconds: number, stop: AbortSignal): Promise<void> {
  if (milliseconds <= 0 || stop.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const ended = () => {
      cancel()
      stop.removeEventListener('abort', ended)
      resolve()
    }
    const cancel = clock.schedule(milliseconds, ended)
    stop.addEventListener('abort', ended)
  })
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
