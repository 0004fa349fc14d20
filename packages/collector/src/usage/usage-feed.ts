import { QUEUE_PERIOD_SECONDS, type UsageFeedState } from '@svc/core/service'
import type { IngestedUsage } from '@svc/core/usage'
import {
  createPolledSource,
  type PollDeps,
  type PolledSource,
  type SettledPoll,
} from '../polling/polled-source.ts'
import { type SourceError, sourceFailureOf } from '../polling/source-error.ts'
import type { ManagementGate } from '../proxy/management-access.ts'
import { UpstreamError } from '../proxy/upstream-error.ts'
import { POP_MS_MIN } from './pop-pace.ts'
import { createQueuePoll } from './queue-poll.ts'
import { createTreePoll } from './tree-poll.ts'
import { callForUsage, refusedBySink, type UsageWay } from './usage-calls.ts'
import { detectUsageRoute, type UsageRoute } from './usage-route.ts'

export interface UsageFeedPlan extends UsageWay {
  readonly mode: 'auto' | 'legacy' | 'queue'
  readonly gate: ManagementGate
  /** Called before records are taken out of the queue. */
  readonly onPop: () => void
  readonly onSettled: (settled: SettledPoll) => void
}

/** Brings usage records from the proxy to the store, in whichever way the proxy offers them. */
export interface UsageFeed
  extends Pick<PolledSource<UsageFeedState>, 'reading' | 'pollNow' | 'pollAfresh' | 'stop'> {
  /** Another monitor has taken usage until now. */
  takenOver(): void
  /** Whether nothing is being taken, and all that was taken is stored. */
  isAtRest(): boolean
}

/** See docs/limits.md#calls-to-the-proxy. */
const LEGACY_PERIOD_SECONDS = 60
const SMALL_ANSWER_BYTES_MAX = 4 * 1024 * 1024
const BACKOFF_SECONDS_MAX = 300

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
  let isPolling = false

  const detect = (stop: AbortSignal) =>
    callForUsage({ gate }, { stop, bytesMax: SMALL_ANSWER_BYTES_MAX }, (call) =>
      detectUsageRoute(client, call),
    )

  const pollOnce = async (stop: AbortSignal): Promise<UsageFeedState> => {
    const refusal = sink.refusal()
    // What was taken before another monitor took over is in no other place.
    if (refusal === 'standby') await queue.storeInHand()
    if (refusal !== null) throw refusedBySink(refusal)
    try {
      route ??= await detect(stop)
      return await (route === 'legacy' ? tree : queue).poll(stop)
    } catch (error) {
      queue.noteFailure()
      const failure = sourceFailureOf(error)
      if (!isNotFound(failure)) throw failure
      // The proxy may be another one by now.
      if (plan.mode === 'auto') route = null
      throw offersNoUsage()
    }
  }

  const source = createPolledSource<UsageFeedState>(
    {
      source: 'usage',
      get periodSeconds() {
        return route === 'queue' ? QUEUE_PERIOD_SECONDS : LEGACY_PERIOD_SECONDS
      },
      backoffSecondsMax: BACKOFF_SECONDS_MAX,
      async poll(stop) {
        isPolling = true
        return pollOnce(stop).finally(() => {
          isPolling = false
        })
      },
      heldForMs: () =>
        sink.refusal() === 'standby' && !queue.holdsBatch()
          ? Number.POSITIVE_INFINITY
          : gate.heldForMs(),
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
    isAtRest: () => !isPolling && !queue.holdsBatch(),
    stop() {
      cancelSoon()
      return source.stop()
    },
  }
}

function isNotFound(failure: UpstreamError | SourceError): boolean {
  return failure instanceof UpstreamError && failure.httpStatus === 404
}

/** A 404 of every way to usage is a proxy that offers none, not a broken one. */
function offersNoUsage(): UpstreamError {
  const message = 'the proxy offers no usage over HTTP'
  return new UpstreamError('unsupported', message, { httpStatus: 404 })
}
