import { QUEUE_PERIOD_SECONDS } from '@svc/core/health'
import type { UsageFeedState } from '@svc/core/service'
import type { IngestedUsage } from '@svc/core/usage'
import {
  createPolledSource,
  livelyBackoffSecondsMax,
  type PollDeps,
  type PolledSource,
  type SettledPoll,
} from '../polling/polled-source.ts'
import { type SourceError, sourceFailureOf } from '../polling/source-error.ts'
import type { ManagementGate } from '../proxy/management-access.ts'
import type { ManagementCall, UpstreamClient } from '../proxy/upstream-client.ts'
import { UpstreamError, upstreamErrorOf } from '../proxy/upstream-error.ts'
import { POP_MS_MIN } from './pop-pace.ts'
import { createQueuePoll } from './queue-poll.ts'
import { createTreePoll } from './tree-poll.ts'
import { callForUsage, refusedBySink, type UsageWay } from './usage-sink.ts'

interface UsageFeedPlan extends UsageWay {
  readonly mode: 'auto' | 'legacy' | 'queue'
  readonly gate: ManagementGate
  /** Called before records are taken out of the queue. */
  readonly onPop: () => void
  /** Called when the proxy has discarded unread records, with the seconds it keeps them. */
  readonly onForgotten: (keptSeconds: number) => void
  readonly onSettled: (settled: SettledPoll) => void
}

/** Moves usage records from the proxy to the store, by the queue or the legacy tree. */
interface UsageFeed
  extends Pick<PolledSource<UsageFeedState>, 'reading' | 'pollNow' | 'pollAfresh' | 'stop'> {
  /** Notes that another monitor has taken usage until now. */
  takenOver(): void
}

/** See docs/limits.md#calls-to-the-proxy. */
const LEGACY_PERIOD_SECONDS = 60
const SMALL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Interval at which records lost in the proxy are counted while the key is held. */
const HELD_POLL_MS = 60_000

export function createUsageFeed(plan: UsageFeedPlan, deps: PollDeps): UsageFeed {
  const { client, gate, sink } = plan
  const { clock } = deps
  const onUsage = (usage: IngestedUsage, emptied: boolean) => {
    deps.log.debug('usage stored', { ...usage.tally })
    plan.onUsage(usage, emptied)
  }
  const tree = createTreePoll({ ...plan, onUsage })
  const queue = createQueuePoll({ ...plan, onUsage, clock })
  let route: UsageRoute | null = plan.mode === 'auto' ? null : plan.mode
  let cancelSoon = () => {}

  const detect = (stop: AbortSignal) =>
    callForUsage({ gate }, { stop, bytesMax: SMALL_ANSWER_BYTES_MAX }, (call) =>
      detectUsageRoute(client, call),
    )

  const pollOnce = async (stop: AbortSignal): Promise<UsageFeedState> => {
    const refusal = sink.refusal()
    // Only this process has the records it took before another monitor took over.
    if (refusal === 'standby') await queue.storePending()
    if (refusal !== null) throw refusedBySink(refusal)
    try {
      route ??= client.facts().generation === 'v8' ? 'queue' : await detect(stop)
      return await (route === 'legacy' ? tree : queue).poll(stop)
    } catch (error) {
      queue.noteFailure()
      const failure = sourceFailureOf(error)
      if (!isNotFound(failure)) throw failure
      // The proxy may have been replaced: detect the route again.
      if (plan.mode === 'auto') route = null
      throw offersNoUsage()
    }
  }

  const periodSeconds = () => (route === 'queue' ? QUEUE_PERIOD_SECONDS : LEGACY_PERIOD_SECONDS)
  const heldForMs = () => {
    if (sink.refusal() === 'standby' && !queue.hasPending()) return Number.POSITIVE_INFINITY
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
        if (settled.kind === 'ok' && queue.moreWait()) {
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
    takenOver: queue.takenOver,
    stop() {
      cancelSoon()
      return source.stop()
    },
  }
}

function isNotFound(failure: UpstreamError | SourceError): boolean {
  return failure instanceof UpstreamError && failure.httpStatus === 404
}

/** The error of a proxy that offers no usage at all: every route answered 404. */
function offersNoUsage(): UpstreamError {
  const message = 'the proxy offers no usage over HTTP'
  return new UpstreamError('unsupported', message, { httpStatus: 404 })
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
