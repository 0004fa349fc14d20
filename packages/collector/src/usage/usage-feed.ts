import { type EpochMs, epochMs, plusMs } from '@svc/core'
import type { ReceiptTime, Redacted, UsageFeedState } from '@svc/core/service'
import type { IngestedUsage, UsageGap } from '@svc/core/usage'
import {
  createPolledSource,
  type PollDeps,
  type PolledSource,
  type SettledPoll,
} from '../polling/polled-source.ts'
import { SourceError, sourceFailureOf } from '../polling/source-error.ts'
import { isHeld, type ManagementGate } from '../proxy/management-access.ts'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { createPopPace, POP_MS_MIN } from './pop-pace.ts'
import { fetchQueueRetention, QUEUE_RETENTION_SECONDS } from './queue-retention.ts'
import { createTreeCounters } from './tree-counters.ts'
import { detectUsageRoute, type UsageRoute } from './usage-route.ts'
import type { UsageSink } from './usage-sink.ts'

export interface UsageFeedPlan {
  readonly mode: 'auto' | 'legacy' | 'queue'
  readonly client: UpstreamClient
  readonly gate: ManagementGate
  readonly sink: UsageSink
  /** Called before records are taken out of the queue. */
  readonly onPop: () => void
  /** Called with what each answer brought; `emptied`: the queue had no more. */
  readonly onUsage: (usage: IngestedUsage, emptied: boolean) => void
  readonly onSettled: (settled: SettledPoll) => void
}

/** Brings usage records from the proxy to the store, in whichever way the proxy offers them. */
export interface UsageFeed
  extends Pick<PolledSource<UsageFeedState>, 'reading' | 'pollNow' | 'pollAfresh' | 'stop'> {}

/** See docs/limits.md#calls-to-the-proxy. */
const LEGACY_PERIOD_SECONDS = 60
const QUEUE_PERIOD_SECONDS = 5
const USAGE_SECONDS = 30
const QUEUE_BYTES_MAX = 32 * 1024 * 1024
const TREE_BYTES_MAX = 256 * 1024 * 1024
const SMALL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
const BACKOFF_SECONDS_MAX = 300
/** How often the proxy is asked how long it keeps unread records. */
const RETENTION_PERIOD_MS = 600_000
/** The wall clock was set, or the machine slept, where it went on by so much more than the monotonic clock. */
const PARTED_MS = 10_000

const REFUSALS = {
  store_unavailable: 'the history store cannot take usage now',
  clock_doubted: 'the clock of this machine cannot be trusted now',
} as const

/** A popped batch that could not be stored yet; it waits in memory, and nothing more is popped. */
interface BatchInHand {
  readonly bytes: Uint8Array
  readonly time: ReceiptTime
  /** When it was asked for: what came up since may still wait. */
  readonly polled: Polled
  /** Records that were asked for. */
  readonly asked: number
}

/** A moment by our wall clock and by the monotonic one. */
interface Polled {
  readonly at: EpochMs
  readonly atMs: number
}

export function createUsageFeed(plan: UsageFeedPlan, deps: PollDeps): UsageFeed {
  const { client, gate, sink } = plan
  const { clock } = deps
  let mode: UsageRoute | null = plan.mode === 'auto' ? null : plan.mode
  let inHand: BatchInHand | null = null
  const treeCounters = createTreeCounters()
  let lastPolled: Polled | null = null
  const pace = createPopPace()
  let cancelSoon = () => {}
  let retention: { readonly seconds: number; readonly askedAtMs: number } | null = null

  const managed = <Value>(
    stop: AbortSignal,
    bytesMax: number,
    send: (call: ManagementCall) => Promise<Value>,
  ) => gate.call((key: Redacted) => send({ key, stop, bytesMax, seconds: USAGE_SECONDS }))

  /** Called once the records are on the disk. */
  const noteStored = (sunk: IngestedUsage, emptied: boolean) => {
    deps.log.debug('usage stored', { ...sunk.tally })
    plan.onUsage(sunk, emptied)
  }

  const detect = (stop: AbortSignal) =>
    managed(stop, SMALL_ANSWER_BYTES_MAX, (call) => detectUsageRoute(client, call))

  const pollTree = async (stop: AbortSignal): Promise<UsageFeedState> => {
    const tree = sink.openTree()
    try {
      const { receivedAt } = await managed(stop, TREE_BYTES_MAX, (call) =>
        client.take('usage', call, (chunk) => tree.push(chunk)),
      )
      const usageAt = sink.now()
      const sunk = await stored(() => tree.store({ receivedAt, usageAt }))
      if (sunk === null)
        throw new UpstreamError('bad_payload', 'usage: expected a tree of requests')
      noteStored(sunk, false)
      const counters = sunk.totals === null ? null : treeCounters.next(sunk.totals, receivedAt)
      return { kind: 'legacy', retentionSeconds: null, counters }
    } catch (error) {
      tree.drop()
      throw error
    }
  }

  const retentionSeconds = async (stop: AbortSignal): Promise<number> => {
    const nowMs = clock.monotonicMs()
    if (retention !== null && nowMs - retention.askedAtMs < RETENTION_PERIOD_MS)
      return retention.seconds
    const seconds = await managed(stop, SMALL_ANSWER_BYTES_MAX, (call) =>
      fetchQueueRetention(client, call),
    ).catch((error: unknown) => {
      // A proxy that does not say keeps to its default.
      if (upstreamErrorOf(error).httpStatus === 404) return QUEUE_RETENTION_SECONDS
      throw error
    })
    retention = { seconds, askedAtMs: nowMs }
    return seconds
  }

  const sinceLastPolled = ({ at, atMs }: Polled) => ({
    wallMs: clock.now() - at,
    ranMs: clock.monotonicMs() - atMs,
  })

  /** How long nobody has read the queue. */
  const silentMs = (lastPollAt: EpochMs, now: EpochMs): number => {
    const usageMs = now - lastPollAt
    if (lastPolled === null) return usageMs
    const { wallMs, ranMs } = sinceLastPolled(lastPolled)
    // The monotonic clock stands still while the machine sleeps, which our clock and the proxy's then show alike. One of them alone was set.
    return Math.max(ranMs, Math.min(wallMs, usageMs))
  }

  const pollQueue = async (stop: AbortSignal): Promise<UsageFeedState> => {
    if (lastPolled !== null) {
      const { wallMs, ranMs } = sinceLastPolled(lastPolled)
      // The proxy's answer tells which, before anything is taken.
      if (wallMs - ranMs > PARTED_MS) retention = null
    }
    const keptSeconds = await retentionSeconds(stop)
    await storeInHand()
    const startedAt = sink.now()
    const { lastPollAt } = sink.position()
    const missedMs = lastPollAt === null ? 0 : silentMs(lastPollAt, startedAt) - keptSeconds * 1000
    if (lastPollAt !== null && missedMs > 0) {
      await stored(() =>
        sink.recordGap({
          from: lastPollAt,
          to: plusMs(lastPollAt, missedMs),
          reason: 'retention_exceeded',
        }),
      )
    }
    await stored(() => sink.markPop(startedAt))
    plan.onPop()
    try {
      const chunks: Uint8Array[] = []
      const asked = pace.count()
      const polled = { at: clock.now(), atMs: clock.monotonicMs() }
      const { receivedAt } = await managed(stop, QUEUE_BYTES_MAX, (call) =>
        client.take(`usage-queue?count=${asked}`, call, (chunk) => chunks.push(chunk)),
      )
      inHand = {
        bytes: Buffer.concat(chunks),
        time: { receivedAt, usageAt: sink.now() },
        polled,
        asked,
      }
    } catch (error) {
      const failure = upstreamErrorOf(error)
      // A stop in between leaves the mark, which the next start counts.
      if (!stop.aborted) {
        await stored(() =>
          mayHaveTaken(failure)
            ? sink.recordGap(lostBatch(lastPollAt ?? startedAt, sink.now()))
            : sink.clearPop(),
        )
      }
      throw failure
    }
    await storeInHand()
    return { kind: 'queue', retentionSeconds: keptSeconds, counters: null }
  }

  const storeInHand = async (): Promise<void> => {
    if (inHand === null) return
    const { bytes, time, polled, asked } = inHand
    const lastPollAt = sink.position().lastPollAt ?? time.usageAt
    const sunk = await stored(() => sink.storeQueue(bytes, time))
    inHand = null
    lastPolled = polled
    if (sunk === null) {
      await stored(() => sink.recordGap(lostBatch(lastPollAt, time.usageAt)))
      throw new UpstreamError('bad_payload', 'usage-queue: expected a list of records')
    }
    const { elementCount, tally } = sunk
    pace.note({ asked, elementCount, storedCount: tally.stored })
    noteStored(sunk, elementCount < asked)
  }

  const source = createPolledSource<UsageFeedState>(
    {
      source: 'usage',
      get periodSeconds() {
        return mode === 'queue' ? QUEUE_PERIOD_SECONDS : LEGACY_PERIOD_SECONDS
      },
      backoffSecondsMax: BACKOFF_SECONDS_MAX,
      async poll(stop) {
        const refusal = sink.refusal()
        if (refusal !== null) throw new SourceError(refusal, REFUSALS[refusal])
        try {
          mode ??= await detect(stop)
          return mode === 'legacy' ? await pollTree(stop) : await pollQueue(stop)
        } catch (error) {
          pace.reset()
          const failure = sourceFailureOf(error)
          if (failure instanceof SourceError || failure.httpStatus !== 404) throw failure
          // The proxy may be another one by now.
          if (plan.mode === 'auto') mode = null
          // A 404 of every way to usage is a proxy that offers none, not a broken one.
          throw new UpstreamError('unsupported', 'the proxy offers no usage over HTTP', {
            httpStatus: 404,
          })
        }
      },
      heldForMs: gate.heldForMs,
      onSettled(settled) {
        plan.onSettled(settled)
        if (settled.kind === 'ok' && pace.moreWait()) {
          cancelSoon = clock.schedule(
            Math.max(0, POP_MS_MIN - settled.seconds * 1000),
            () => void source.pollAfresh(),
          )
        }
      },
    },
    deps,
  )
  return {
    ...source,
    stop() {
      cancelSoon()
      return source.stop()
    },
  }
}

/** Nothing is known of what an answer held that got lost; a clock that was set back in between makes the gap no shorter than nothing. */
function lostBatch(from: EpochMs, to: EpochMs): UsageGap {
  return { from, to: epochMs(Math.max(from, to)), reason: 'batch_lost' }
}

/** The store reports its failure; here it only means that nothing more is taken. */
async function stored<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch {
    throw new SourceError('store_unavailable', REFUSALS.store_unavailable)
  }
}

/** Records leave the queue before the answer is written, so only an answer that refuses, or none at all, has taken nothing. */
function mayHaveTaken(failure: UpstreamError): boolean {
  const { httpStatus, wasSent, code } = failure
  if (httpStatus !== null) return httpStatus < 400
  return wasSent && code !== 'redirected' && !isHeld(failure)
}
