import { QUEUE_PERIOD_SECONDS } from '@svc/core/health'
import type { UsageFeedState } from '@svc/core/service'
import type { IngestedUsage } from '@svc/core/usage'
import {
  createPolledSource,
  livelyBackoffSecondsMax,
  type PollDeps,
  type SettledPoll,
} from '../polling/polled-source.ts'
import { type SourceError, sourceFailureOf } from '../polling/source-error.ts'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { createQueuePoll, POP_MS_MIN, type QueuePlan } from './queue-poll.ts'
import { createStandingFeed, type StandingPlan, WithoutResp } from './standing-feed.ts'
import { createTreePoll } from './tree-poll.ts'
import { callForUsage, refusedBySink } from './usage-sink.ts'

interface UsageFeedPlan
  extends Omit<QueuePlan, 'clock' | 'gate'>,
    Omit<StandingPlan, 'clock' | 'onEnd'> {
  readonly mode: 'auto' | 'legacy' | 'queue' | 'subscribe'
  /** Whether the queue gives nothing although requests are made, as beside a subscriber. */
  readonly isStarved: () => boolean
  /** Called when a subscription has ended by itself and is made again. */
  readonly onReconnect: () => void
  readonly onSettled: (settled: SettledPoll) => void
}

/** See docs/limits.md#calls-to-the-proxy. */
const LEGACY_PERIOD_SECONDS = 60
const SMALL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Time after which a proxy without RESP is tried again. */
const RESP_RETRY_MS = 15 * 60_000
/** Wait before the first attempt to connect again. */
const RECONNECT_MS = 200
/** Interval at which records lost in the proxy are counted while the key is held. */
const HELD_POLL_MS = 60_000

/** Moves usage records from the proxy to the store, by the queue, a subscription or the legacy tree. */
export function createUsageFeed(plan: UsageFeedPlan, deps: PollDeps) {
  const { client, gate, sink, mode } = plan
  const { clock } = deps
  const onUsage = (usage: IngestedUsage, emptied: boolean) => {
    deps.log.debug('usage stored', { ...usage.tally })
    plan.onUsage(usage, emptied)
  }
  const tree = createTreePoll({ ...plan, onUsage })
  const queue = createQueuePoll({ ...plan, onUsage, clock })
  const standing = createStandingFeed(
    {
      ...plan,
      onUsage,
      clock,
      onEnd(wasSubscribed) {
        if (wasSubscribed) plan.onReconnect()
        soon(RECONNECT_MS)
      },
    },
    queue,
  )
  let respAtMs = 0
  let route: UsageRoute | null = mode === 'auto' ? null : mode === 'legacy' ? 'legacy' : 'queue'
  let cancelSoon = () => {}

  const detect = (stop: AbortSignal) =>
    callForUsage({ gate }, { stop, bytesMax: SMALL_ANSWER_BYTES_MAX }, (call) =>
      detectUsageRoute(client, call),
    )

  const soon = (milliseconds: number) => {
    cancelSoon = clock.schedule(milliseconds, () => void source.pollAfresh())
  }
  const pollQueue = async (stop: AbortSignal): Promise<UsageFeedState> => {
    const isStarved = mode === 'auto' && plan.isStarved()
    const way = wayOf(mode, isStarved)
    try {
      if (clock.monotonicMs() >= respAtMs) {
        const state = await standing.poll(way, stop)
        return isStarved ? { notice: 'shared', ...state } : state
      }
    } catch (error) {
      if (!(error instanceof WithoutResp)) throw error
      respAtMs = clock.monotonicMs() + RESP_RETRY_MS
      deps.log.info('the proxy speaks no RESP here', { code: error.code, reason: error.message })
    }
    await standing.settle()
    const state = { ...(await queue.poll(stop)), way: 'http' } as const
    return way === 'subscribe' ? { ...state, notice: 'way_lost' } : state
  }

  const pollOnce = async (stop: AbortSignal): Promise<UsageFeedState> => {
    const refusal = sink.refusal()
    // Only this process has the records it took before another monitor took over.
    if (refusal === 'standby') {
      await queue.storePending()
      await standing.leave()
    }
    if (refusal !== null) throw refusedBySink(refusal)
    try {
      route ??= client.facts().generation === 'v8' ? 'queue' : await detect(stop)
      return await (route === 'legacy' ? tree.poll(stop) : pollQueue(stop))
    } catch (error) {
      queue.noteFailure()
      const failure = sourceFailureOf(error)
      if (!isNotFound(failure)) throw failure
      // The proxy may have been replaced: detect the route again.
      if (mode === 'auto') route = null
      throw new UpstreamError('unsupported', 'the proxy offers no usage over HTTP', {
        httpStatus: 404,
      })
    }
  }

  const periodSeconds = () => (route === 'queue' ? QUEUE_PERIOD_SECONDS : LEGACY_PERIOD_SECONDS)
  const heldForMs = () => {
    const hasPending = queue.hasPending() || standing.hasPending()
    if (sink.refusal() === 'standby' && !hasPending) return Number.POSITIVE_INFINITY
    return route === 'queue' ? Math.min(gate.heldForMs(), HELD_POLL_MS) : gate.heldForMs()
  }
  const source = createPolledSource<UsageFeedState>(
    {
      source: 'usage',
      get periodSeconds() {
        return periodSeconds()
      },
      get backoffSecondsMax() {
        return livelyBackoffSecondsMax(periodSeconds())
      },
      poll: pollOnce,
      heldForMs,
      onSettled(settled) {
        plan.onSettled(settled)
        if (settled.kind === 'ok' && queue.moreWait())
          soon(Math.max(0, POP_MS_MIN - settled.seconds * 1000))
      },
    },
    deps,
  )
  return {
    ...source,
    /** Notes that another monitor has taken usage until now. */
    takenOver() {
      queue.takenOver()
      standing.takenOver()
    },
    async stop() {
      cancelSoon()
      await source.stop()
      await standing.leave().catch(() => undefined)
    },
  }
}

/** The way on which records are taken where RESP is to be had. Popping is polite to other readers; a queue that stays empty has a subscriber. */
export function wayOf(mode: UsageFeedPlan['mode'], isStarved: boolean): 'lpop' | 'subscribe' {
  return mode === 'subscribe' || (mode === 'auto' && isStarved) ? 'subscribe' : 'lpop'
}

function isNotFound(failure: UpstreamError | SourceError): boolean {
  return failure instanceof UpstreamError && failure.httpStatus === 404
}

/** Routes of usage. Also `legacy` if the proxy has neither route: the request for the tree then fails visibly. */
export type UsageRoute = 'queue' | 'legacy'

/** Detects the route by probing the queue, without taking records out. Throws UpstreamError. See docs/upstream.md#usage-by-version. */
export async function detectUsageRoute(
  client: UpstreamClient,
  call: ManagementCall,
): Promise<UsageRoute> {
  try {
    await client.get('usageQueue', call, '?count=0')
    return 'queue'
  } catch (error) {
    const failure = upstreamErrorOf(error)
    if (failure.httpStatus === 400) return 'queue'
    if (failure.httpStatus === 404) return 'legacy'
    throw failure
  }
}
