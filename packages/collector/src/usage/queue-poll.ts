import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { Clock, ReceiptTime, UsageFeedState } from '@svc/core/service'
import type { UsageGap } from '@svc/core/usage'
import { isHeld } from '../proxy/management-access.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { createPopPace, POP_MS_MIN, type PopPace } from './pop-pace.ts'
import {
  createQueueSilence,
  createRetentionWatch,
  type Moment,
  type QueueSilence,
} from './queue-retention.ts'
import {
  callForUsage,
  refusedBySink,
  storeInSink,
  type UsageSink,
  type UsageWay,
} from './usage-sink.ts'

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

interface PendingBatches {
  batches: readonly PoppedBatch[]
  /** Gap of a pop that failed after the pending batches; stored after these batches. */
  lost: UsageGap | null
  /** Time of the stored mark under which the batches were popped. */
  markedAt: EpochMs | null
}

/** See docs/limits.md#calls-to-the-proxy. */
const QUEUE_BYTES_MAX = 32 * 1024 * 1024
/** Longest collection of pops that share a transaction. */
const SHARED_MS_MAX = 1_000

/** Takes records out of the proxy's queue. All taken records are stored or counted as lost. */
export function createQueuePoll(plan: QueuePlan) {
  const { sink, clock } = plan
  const pace = createPopPace(clock)
  const silence = createQueueSilence(clock)
  const retention = createRetentionWatch(plan, clock)
  const pending: PendingBatches = { batches: [], lost: null, markedAt: null }
  const storePending = createPendingStore(plan, { pending, pace, silence })
  const pops = createPops(plan, pending, silence)
  const countForgotten = async (keptSeconds: number | null) => {
    const { lastPollAt } = sink.position()
    if (lastPollAt === null || keptSeconds === null) return
    const missedMs = silence.lengthMs(lastPollAt, sink.now()) - keptSeconds * 1000
    if (missedMs <= 0) return
    const to = plusMs(lastPollAt, missedMs)
    await storeInSink(() => sink.recordGap({ from: lastPollAt, to, reason: 'retention_exceeded' }))
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

  return {
    begin,
    /** Notes that all records were read until now. */
    noteRead: () => silence.end(silence.now()),
    /** Takes and stores records once. Throws UpstreamError, and SourceError if the store refuses. */
    async poll(stop: AbortSignal): Promise<UsageFeedState> {
      const keptSeconds = await begin(stop)
      const counts = pace.counts()
      if (counts.length > 1) await pops.rested(stop)
      const startedAt = sink.now()
      // The mark bounds the loss if this process dies, so it must cover the last of several pops.
      pending.markedAt = counts.length > 1 ? plusMs(startedAt, SHARED_MS_MAX) : startedAt
      await markPop(sink, pending.markedAt)
      plan.onPop()
      try {
        await pops.takeOut(counts, sink.position().lastPollAt ?? startedAt, stop)
      } catch (error) {
        // Batches of earlier pops are stored although this pop failed.
        if (pending.batches.length > 0) await storePending()
        throw error
      }
      await storePending()
      return { kind: 'queue', retentionSeconds: keptSeconds, counters: null }
    },
    /** Stores the taken records that are still pending. Throws SourceError if the store refuses. */
    storePending,
    /** Whether taken records are still pending. */
    hasPending: () => pending.batches.length > 0,
    /** Notes that another monitor has taken records since the last poll. */
    takenOver() {
      silence.forget()
      retention.forget()
    },
    /** Whether the last poll was full of new records, which means that more are waiting. */
    moreWait: pace.moreWait,
    /** Notes a failed poll. The next poll is small, so that little is lost if it fails too. */
    noteFailure: pace.reset,
  }
}

/** Takes records from the queue and keeps them pending until they are stored. */
function createPops(plan: QueuePlan, pending: PendingBatches, silence: QueueSilence) {
  const { client, sink, clock } = plan
  let lastPopMs = Number.NEGATIVE_INFINITY

  const pop = async (asked: number, stop: AbortSignal): Promise<PoppedBatch> => {
    const chunks: Uint8Array[] = []
    const polled = silence.now()
    lastPopMs = polled.atMs
    const { receivedAt } = await callForUsage(plan, { stop, bytesMax: QUEUE_BYTES_MAX }, (call) =>
      client.take('usageQueue', call, (chunk) => chunks.push(chunk), `?count=${asked}`),
    )
    const time = { receivedAt, usageAt: sink.now() }
    return { bytes: Buffer.concat(chunks), time, polled, asked }
  }

  /** Waits until the next pop is allowed, or the program stops. */
  const rested = (stop: AbortSignal): Promise<void> =>
    rest(clock, lastPopMs + POP_MS_MIN - clock.monotonicMs(), stop)

  /** Whether one more pop may share the transaction of the pending batches. */
  const mayShare = (stop: AbortSignal): boolean => {
    const [first] = pending.batches
    if (first === undefined) return true
    const bytes = pending.batches.reduce((sum, batch) => sum + batch.bytes.length, 0)
    const isInTime = clock.monotonicMs() - first.polled.atMs < SHARED_MS_MAX
    return isInTime && bytes < QUEUE_BYTES_MAX && !stop.aborted && sink.refusal() === null
  }

  /** Takes the batches of one transaction. Throws UpstreamError; batches popped earlier stay pending. */
  const takeOut = async (
    counts: readonly number[],
    lastReadAt: EpochMs,
    stop: AbortSignal,
  ): Promise<void> => {
    for (const asked of counts) {
      if (pending.batches.length > 0) await rested(stop)
      if (!mayShare(stop)) return
      try {
        pending.batches = [...pending.batches, await pop(asked, stop)]
      } catch (error) {
        const failure = upstreamErrorOf(error)
        const last = pending.batches.at(-1)
        if (last !== undefined) {
          if (mayHaveTaken(failure)) pending.lost = lostBatch(last.time.usageAt, sink.now())
        } else if (!stop.aborted) {
          await settleFailedPop(sink, failure, lastReadAt)
          if (mayHaveTaken(failure)) silence.end(silence.now())
        }
        // After a stop the mark stays, and the next start counts the loss.
        throw failure
      }
    }
  }

  return { rested, takeOut }
}

/** Stores the popped batches in one transaction; a batch that is not a list of records is counted as lost. */
function createPendingStore(
  { sink, onUsage }: QueuePlan,
  {
    pending,
    pace,
    silence,
  }: { readonly pending: PendingBatches; readonly pace: PopPace; readonly silence: QueueSilence },
): () => Promise<void> {
  /** Stores the first pending batches in one transaction. False, with nothing stored, if one of several is not a list of records. */
  const storeTogether = async (batches: readonly PoppedBatch[]): Promise<boolean> => {
    const last = batches.at(-1)
    if (last === undefined) return true
    const lastPollAt = sink.position().lastPollAt ?? last.time.usageAt
    const answers = batches.map(({ bytes }) => bytes)
    const isWhole = pending.lost === null && batches.length === pending.batches.length
    const time =
      isWhole && pending.markedAt !== null
        ? { ...last.time, markedAt: pending.markedAt }
        : last.time
    const ingested = await storeInSink(() => sink.storeQueue(answers, time))
    if (ingested === null && batches.length > 1) return false
    pending.batches = pending.batches.slice(batches.length)
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
    if (!(await storeTogether(pending.batches)))
      while (pending.batches.length > 0)
        await storeTogether(pending.batches.slice(0, 1)).catch((error: unknown) => {
          if (!(error instanceof UpstreamError)) throw error
          badAnswer = error
        })
    if (pending.lost !== null) {
      const gap = pending.lost
      await storeInSink(() => sink.recordGap(gap))
      pending.lost = null
    }
    if (badAnswer !== null) throw badAnswer
  }
}

/** Resolves after this time or when the program stops. */
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

/** Stores the mark of a pop. Throws SourceError if another monitor has taken over reading the records. */
async function markPop(sink: UsageSink, at: EpochMs): Promise<void> {
  await storeInSink(() => sink.markPop(at))
  if (sink.refusal() !== 'standby') return
  await storeInSink(() => sink.clearPop())
  throw refusedBySink('standby')
}

/** Settles a failed pop: counts the records it may have taken since `from` as lost. */
function settleFailedPop(sink: UsageSink, failure: UpstreamError, from: EpochMs): Promise<void> {
  return storeInSink(() =>
    mayHaveTaken(failure) ? sink.recordGap(lostBatch(from, sink.now())) : sink.clearPop(),
  )
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
